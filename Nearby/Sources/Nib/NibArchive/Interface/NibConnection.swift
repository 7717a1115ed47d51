// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A connection between objects of a nib, or an attribute that is set when the nib is instantiated.
public struct NibConnection: Hashable, Sendable {
    /// The kinds of connections.
    public enum Kind: Hashable, Sendable {
        /// Sets a property of the source to the destination.
        case outlet
        /// Sets a property of the source to an array of destinations.
        case outletCollection
        /// Sends an action from the source to the destination. Holds the mask of UIKit's control events; `nil` in
        /// AppKit nibs.
        case action(events: Int64?)
        /// Binds a property of the source to a key path of the destination.
        case binding(name: String, keyPath: String)
        /// Sets the property at a key path of the source.
        case runtimeAttribute
        /// Sets an accessibility attribute of the source.
        case accessibility
        /// A connection of another class, such as a storyboard segue, whose destination is the name of a scene.
        case other(className: String)
    }

    /// The kind of the connection.
    public let kind: Kind
    /// The connector object in the nib.
    public let connector: NibReference
    /// The object on which the connection is set; for an action, the control; `nil` if the nib does not specify one.
    public let source: NibReference?
    /// The property name, action selector, key path or attribute name.
    public let label: String
    /// The objects to which the source is connected; for an attribute, its value; for a collection, its members.
    ///
    /// An action without a destination goes to the First Responder.
    public let destinations: [NibReference]

    /// The first destination, the only one unless the connection is a collection; `nil` if there is none.
    public var destination: NibReference? { destinations.first }
}

extension Nib {
    /// All connections, in the order of the connectors in the file.
    public var connections: [NibConnection] { references.flatMap(connections) }

    private func connections(of connector: NibReference) -> [NibConnection] {
        let name = className(of: connector)
        switch name {
        case "NSNibOutletConnector": return [connection(.outlet, connector, "NS")]
        case "UIRuntimeOutletConnection": return [connection(.outlet, connector, "UI")]
        // An auxiliary connector defines a second action of a control, such as the end-of-editing action of a search
        // field.
        case "NSNibControlConnector", "NSNibAuxiliaryActionConnector":
            return [connection(.action(events: nil), connector, "NS")]
        case "UIRuntimeEventConnection":
            return [connection(.action(events: value("UIEventMask", of: connector)?.integer), connector, "UI")]
        case "UIRuntimeOutletCollectionConnection": return [collection(connector, "UI")]
        case "NSNibOutletCollectionConnector": return [collection(connector, "NS")]
        case "NSNibBindingConnector":
            let binding = NibConnection.Kind.binding(
                name: string("NSBinding", of: connector) ?? "", keyPath: string("NSKeyPath", of: connector) ?? "")
            return [connection(binding, connector, "NS")]
        case "NSIBUserDefinedRuntimeAttributesConnector":
            return zip(elements("NSKeyPaths", of: connector), elements("NSValues", of: connector)).map { path, value in
                NibConnection(
                    kind: .runtimeAttribute, connector: connector, source: object("NSObject", of: connector),
                    label: text(of: path) ?? "", destinations: [value])
            }
        case "UINibKeyValuePair":
            return [
                NibConnection(
                    kind: .runtimeAttribute, connector: connector, source: object("UIObject", of: connector),
                    label: string("UIKeyPath", of: connector) ?? "",
                    destinations: object("UIValue", of: connector).map { [$0] } ?? [])
            ]
        case "NSNibAXAttributeConnector":
            return [
                NibConnection(
                    kind: .accessibility, connector: connector,
                    source: object("AXDestinationArchiveKey", of: connector),
                    label: string("AXAttributeTypeArchiveKey", of: connector) ?? "",
                    destinations: object("AXAttributeValueArchiveKey", of: connector).map { [$0] } ?? [])
            ]
        case "UIRuntimeAccessibilityConfiguration": return accessibility(connector)
        case "NSNibConnector", "NSIBHelpConnector": return [connection(.other(className: name), connector, "NS")]
        case _ where name.hasSuffix("SegueTemplate"): return [segue(name, connector)]
        default: return designConnection(name, connector).map { [$0] } ?? []
        }
    }

    /// Returns a segue, which refers to a scene by identifier; in Interface Builder's own XML, it refers to the
    /// controller.
    private func segue(_ name: String, _ template: NibReference) -> NibConnection {
        let prefix = name.hasPrefix("NS") ? "NS" : "UI"
        let designed = connection(.other(className: name), template, prefix)
        guard designed.source == nil else { return designed }
        return NibConnection(
            kind: designed.kind, connector: template, source: nil,
            label: string("\(prefix)Identifier", of: template) ?? "",
            destinations: object("\(prefix)DestinationViewControllerIdentifier", of: template).map { [$0] } ?? [])
    }

    private func collection(_ connector: NibReference, _ prefix: String) -> NibConnection {
        NibConnection(
            kind: .outletCollection, connector: connector, source: object("\(prefix)Source", of: connector),
            label: string("\(prefix)Label", of: connector) ?? "",
            destinations: elements("\(prefix)Destination", of: connector))
    }

    /// Returns the accessibility attributes; UIKit stores all attributes of an object in one object, and the spelling
    /// of the first key is UIKit's.
    private func accessibility(_ configuration: NibReference) -> [NibConnection] {
        let source = object("UIAccessibileObject", of: configuration)
        return Self.accessibilityKeys.compactMap { key in
            object(key, of: configuration).map {
                NibConnection(
                    kind: .accessibility, connector: configuration, source: source, label: key, destinations: [$0])
            }
        }
    }

    private static let accessibilityKeys = [
        "UIIsAccessibilityElement", "UIAccessibilityLabel", "UIAccessibilityHint", "UIAccessibilityIdentifier",
        "UIAccessibilityTraits",
    ]

    private func connection(_ kind: NibConnection.Kind, _ connector: NibReference, _ prefix: String) -> NibConnection {
        NibConnection(
            kind: kind, connector: connector, source: object("\(prefix)Source", of: connector),
            label: string("\(prefix)Label", of: connector) ?? "",
            destinations: object("\(prefix)Destination", of: connector).map { [$0] } ?? [])
    }

    /// Returns a connection of the XML format of Interface Builder up to version 3.
    ///
    /// In this format, an AppKit action has its target as the source.
    private func designConnection(_ name: String, _ connector: NibReference) -> NibConnection? {
        let ends = (object("source", of: connector), object("destination", of: connector))
        let kind: NibConnection.Kind
        var (source, destination) = ends
        switch name {
        case "IBOutletConnection", "IBCocoaTouchOutletConnection": kind = .outlet
        case "IBActionConnection":
            kind = .action(events: nil)
            (destination, source) = ends
        case "IBCocoaTouchOutletCollectionConnection": kind = .outletCollection
        case "IBCocoaTouchEventConnection":
            kind = .action(events: value("IBEventType", of: connector)?.integer)
        default: return nil
        }
        return NibConnection(
            kind: kind, connector: connector, source: source, label: string("label", of: connector) ?? "",
            destinations: destination.map { [$0] } ?? [])
    }
}
