// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// An error in creating or connecting the objects of a nib.
public enum NibInstantiationError: Error, Hashable {
    /// The strict registry has no factory for the class.
    case unknownClass(String)
    /// The nib has connections of its owner, but no owner was passed. Holds the label of one of them.
    case noOwner(label: String)
    /// No external object was passed for the identifier.
    case noExternalObject(identifier: String)
    /// The value does not have the type that its object decodes.
    case valueTypeMismatch(className: String, key: String, expected: String, found: String)
    /// Arrays or dictionaries are nested too deeply, or contain themselves.
    case tooDeep(className: String)
    /// The object's class has no outlet with the name.
    case noOutlet(label: String, source: String)
    /// The outlet's object does not have the property's type.
    case outletTypeMismatch(label: String, source: String, expected: String, found: String)
    /// The target's class has no action with the name.
    case noAction(selector: String, target: String)
    /// The object's class does not accept runtime attributes.
    case noAttributes(keyPath: String, source: String)
    /// The object's class does not accept bindings.
    case noBindings(binding: String, source: String)
}

extension NibInstantiationError: ExplainedError {
    /// An explanation of the error: its cause, its meaning and a remedy.
    public var explanation: ErrorExplanation {
        switch self {
        case .unknownClass(let name):
            ErrorExplanation(
                "nib.unknown-class", "There is no factory for the class \(name).",
                reason: "A strict registry only creates objects of registered classes.",
                advice: "Register the class, or use a registry that is not strict.")
        case .noOwner(let label):
            ErrorExplanation(
                "nib.no-owner", "The nib connects \"\(label)\" of its owner, but there is no owner.",
                reason: "The owner's outlets and actions cannot be set.", advice: "Pass an owner.")
        case .noExternalObject(let identifier):
            ErrorExplanation(
                "nib.no-external-object", "There is no external object \"\(identifier)\".",
                reason: "The nib connects an object that the program must supply.",
                advice: "Pass the object under this identifier.")
        case .valueTypeMismatch(let className, let key, let expected, let found):
            ErrorExplanation(
                "nib.value-of-other-type", "\"\(key)\" of a \(className) is a \(found), not a \(expected).",
                reason: "The object decodes a different type than the nib contains.",
                advice: "Decode the type in the nib.")
        case .tooDeep(let className):
            ErrorExplanation(
                "nib.too-deep", "Objects of the class \(className) are nested too deep, or hold themselves.",
                reason: "Arrays and dictionaries are values here, which cannot be in cycles.",
                advice: "Check where the file comes from.")
        case .noOutlet(let label, let source):
            ErrorExplanation(
                "nib.no-outlet", "\(source) has no outlet \"\(label)\".",
                reason: "The nib connects a property that the class does not have.",
                advice: "Add a property of this name with @Outlet.")
        case .outletTypeMismatch(let label, let source, let expected, let found):
            ErrorExplanation(
                "nib.outlet-of-other-type", "The outlet \"\(label)\" of \(source) is a \(expected), not a \(found).",
                reason: "The nib connects an object of another class.",
                advice: "Change the property's type, or the class that the registry creates.")
        case .noAction(let selector, let target):
            ErrorExplanation(
                "nib.no-action", "\(target) has no action \(selector).",
                reason: "The nib connects an action that the class does not have.",
                advice: "Return a function for it from action(_:).")
        case .noAttributes(let keyPath, let source):
            ErrorExplanation(
                "nib.no-attributes", "\(source) does not take the runtime attribute \(keyPath).",
                reason: "The nib sets an attribute that the class does not have.",
                advice: "Let the class be a NibAttributeReceiver.")
        case .noBindings(let binding, let source):
            ErrorExplanation(
                "nib.no-bindings", "\(source) does not take the binding \"\(binding)\".",
                reason: "The nib binds a property of the object, which the class must implement.",
                advice: "Let the class be NibBindable.")
        }
    }
}

extension NibInstantiationError {
    /// An example of each error code, for `docs/reference/errors-nearby.md` and `countersign explain`.
    package static var examples: [Self] {
        [
            .unknownClass("MYView"), .noOwner(label: "window"), .noExternalObject(identifier: "UpstreamPlaceholder-1"),
            .valueTypeMismatch(className: "UILabel", key: "UIText", expected: "number", found: "string"),
            .noOutlet(label: "title", source: "MYView"),
            .outletTypeMismatch(label: "title", source: "MYView", expected: "UILabel", found: "UIButton"),
            .noAction(selector: "save:", target: "MYView"), .noAttributes(keyPath: "cornerRadius", source: "MYView"),
            .noBindings(binding: "value", source: "MYView"),
        ]
    }
}
