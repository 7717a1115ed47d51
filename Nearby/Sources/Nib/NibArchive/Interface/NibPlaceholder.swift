// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The kinds of objects that are not made from the nib, but that the program gives when it instantiates the nib.
public enum NibPlaceholder: Hashable, Sendable {
    /// The object that owns the nib.
    case filesOwner
    /// The object that gets actions which have no target.
    case firstResponder
    /// AppKit's shared application.
    case application
    /// An object that the program gives under an identifier.
    case external(String)
}

extension Nib {
    /// Whether the nib was made for UIKit.
    public var isUIKit: Bool {
        guard let root = references.first else { return false }
        return value("UINibObjectsKey", of: root) != nil
            || classes.contains { $0.name == "UIProxyObject" || $0.name == "IBProxyObject" }
    }

    /// The tables of AppKit's nibs.
    var objectData: NibReference? { references.first.flatMap { object("IB.objectdata", of: $0) } }

    /// The object that stands for the owner; `nil` if the nib has none.
    public var filesOwner: NibReference? {
        if let objectData { return object("NSRoot", of: objectData) }
        return references.first { placeholder(for: $0) == .filesOwner }
    }

    /// The kind of placeholder that an object is; `nil` for an object that is made from the nib.
    public func placeholder(for object: NibReference) -> NibPlaceholder? {
        if let objectData, self.object("NSRoot", of: objectData) == object { return .filesOwner }
        switch className(of: object) {
        case "UIProxyObject", "IBProxyObject":
            let keys = ["UIProxiedObjectIdentifier", "placeholderIdentifier", "IBProxiedObjectIdentifier"]
            switch keys.lazy.compactMap({ string($0, of: object) }).first {
            case "IBFilesOwner": return .filesOwner
            case "IBFirstResponder": return .firstResponder
            case let identifier?: return .external(identifier)
            case nil: return nil
            }
        case "NSNibExternalObjectPlaceholder":
            return string("NSExternalObjectPlaceholderIdentifier", of: object).map(NibPlaceholder.external)
        case "NSCustomObject":
            switch string("NSClassName", of: object) {
            case "FirstResponder": return .firstResponder
            case "NSApplication": return .application
            default: return nil
            }
        default: return nil
        }
    }
}
