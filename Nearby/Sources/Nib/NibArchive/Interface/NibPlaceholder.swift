// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An object that is not created from the nib, but supplied by the program when it instantiates the nib.
public enum NibPlaceholder: Hashable, Sendable {
    /// The owner of the nib.
    case filesOwner
    /// The receiver of actions without a target.
    case firstResponder
    /// AppKit's shared application.
    case application
    /// An object that the program supplies under an identifier.
    case external(String)
}

extension Nib {
    /// Whether the nib is for UIKit.
    public var isUIKit: Bool {
        guard let root = references.first else { return false }
        return value("UINibObjectsKey", of: root) != nil
            || classes.contains { $0.name == "UIProxyObject" || $0.name == "IBProxyObject" }
    }

    /// The object tables of an AppKit nib.
    var objectData: NibReference? { references.first.flatMap { object("IB.objectdata", of: $0) } }

    /// The placeholder of the owner; `nil` if the nib has none.
    public var filesOwner: NibReference? {
        if let objectData { return object("NSRoot", of: objectData) }
        return references.first { placeholder(for: $0) == .filesOwner }
    }

    /// Returns the placeholder kind of an object; `nil` for an object that is created from the nib.
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
