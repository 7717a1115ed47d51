// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A connection between objects of a nib, or what else is set on an object when the nib is instantiated.
public struct NibConnection: Hashable, Sendable {
    /// What a connection does.
    public enum Kind: Hashable, Sendable {
        /// Sets a property of the source to the destination.
        case outlet
        /// Sets a property of the source to an array of destinations.
        case outletCollection
        /// Sends the destination a message when the source is used; UIKit's has the mask of its control events.
        case action(events: Int64?)
        /// Keeps a property of the source equal to what a key path of the destination leads to.
        case binding(name: String, keyPath: String)
        /// Sets what a key path of the source leads to.
        case runtimeAttribute
        /// Sets an attribute for accessibility on the source.
        case accessibility
        /// One of another class.
        case other(className: String)
    }

    /// What it does.
    public let kind: Kind
    /// The connector, which is an object of the nib itself.
    public let connector: NibReference
    /// The object that it is set on; of an action, the control.
    public let source: NibReference?
    /// The property, the action's selector, the key path, or the attribute's name.
    public let label: String
    /// What the source is connected to: none is the First Responder; of an attribute, its value; of a collection, its members.
    public let destinations: [NibReference]

    /// The one destination of a connection that is no collection.
    public var destination: NibReference? { destinations.first }
}

extension Nib {
    /// All connections, in the order of their connectors in the file.
    public var connections: [NibConnection] { references.flatMap(connections) }

    private func connections(of connector: NibReference) -> [NibConnection] {
        let name = className(of: connector)
        switch name {
        case "NSNibOutletConnector": return [connection(.outlet, connector, "NS")]
        case "UIRuntimeOutletConnection": return [connection(.outlet, connector, "UI")]
        case "NSNibControlConnector": return [connection(.action(events: nil), connector, "NS")]
        case "UIRuntimeEventConnection":
            return [connection(.action(events: value("UIEventMask", of: connector)?.integer), connector, "UI")]
        case "UIRuntimeOutletCollectionConnection":
            return [
                NibConnection(
                    kind: .outletCollection, connector: connector, source: object("UISource", of: connector),
                    label: string("UILabel", of: connector) ?? "",
                    destinations: elements("UIDestination", of: connector))
            ]
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
        case "NSNibConnector", "NSIBHelpConnector": return [connection(.other(className: name), connector, "NS")]
        default: return designConnection(name, connector).map { [$0] } ?? []
        }
    }

    private func connection(_ kind: NibConnection.Kind, _ connector: NibReference, _ prefix: String) -> NibConnection {
        NibConnection(
            kind: kind, connector: connector, source: object("\(prefix)Source", of: connector),
            label: string("\(prefix)Label", of: connector) ?? "",
            destinations: object("\(prefix)Destination", of: connector).map { [$0] } ?? [])
    }

    /// A connection as the XML of Interface Builder until version 3 has it.
    ///
    /// An action of AppKit's leads there from its target.
    private func designConnection(_ name: String, _ connector: NibReference) -> NibConnection? {
        let ends = (object("source", of: connector), object("destination", of: connector))
        let kind: NibConnection.Kind
        var (source, destination) = ends
        switch name {
        case "IBOutletConnection", "IBCocoaTouchOutletConnection": kind = .outlet
        case "IBActionConnection":
            kind = .action(events: nil)
            (destination, source) = ends
        case "IBCocoaTouchEventConnection":
            kind = .action(events: value("IBEventType", of: connector)?.integer)
        default: return nil
        }
        return NibConnection(
            kind: kind, connector: connector, source: source, label: string("label", of: connector) ?? "",
            destinations: destination.map { [$0] } ?? [])
    }
}
