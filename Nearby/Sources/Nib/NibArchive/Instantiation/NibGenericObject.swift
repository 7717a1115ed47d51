// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An object of a class that the registry has no factory for.
///
/// Its values, outlets and actions are kept by their names for as long as its ``NibInstance`` lives.
public final class NibGenericObject {
    /// The class that the nib names for the object.
    public let className: String
    /// The object's values by their keys, as ``NibCoder/value(forKey:)`` returns them, and its runtime attributes by their key paths.
    public private(set) var attributes: [String: Any] = [:]
    /// The objects of the outlets by the names of the outlets; those of a collection are in order.
    public private(set) var outlets: [String: [AnyObject]] = [:]
    /// The actions that the object would send, in the order of the nib.
    public private(set) var actions: [NibAction] = []
    /// The bindings that the object would have, in the order of the nib.
    public private(set) var bindings: [Binding] = []

    /// A property that the nib binds.
    public struct Binding {
        /// The property, such as `value` or `enabled2`.
        public let name: String
        /// The object at which the key path begins.
        public let object: AnyObject
        /// The key path to the value to which the property is kept equal, such as `values.ActivateOnLaunch`.
        public let keyPath: String
        /// The options by their names, such as `NSNegateBoolean`.
        public let options: [String: Any]
    }

    init(className: String) { self.className = className }

    func setOutlet(_ label: String, to objects: [AnyObject]) { outlets[label] = objects }

    func clear() {
        attributes = [:]
        outlets = [:]
        actions = []
        bindings = []
    }
}

extension NibGenericObject: NibDecodable {
    /// Takes all values.
    ///
    /// - Parameter coder: The source of the values.
    /// - Throws: The errors of ``NibCoder/value(forKey:)``.
    public func decode(from coder: any NibCoder) throws {
        for key in coder.keys { attributes[key] = try coder.value(forKey: key) }
    }
}

extension NibGenericObject: NibActionSender {
    /// Keeps the action.
    public func bind(_ action: NibAction) { actions.append(action) }
}

extension NibGenericObject: NibBindable {
    /// Keeps the binding.
    public func bind(_ binding: String, to object: AnyObject, keyPath: String, options: [String: Any]) {
        bindings.append(Binding(name: binding, object: object, keyPath: keyPath, options: options))
    }
}

extension NibGenericObject: NibAttributeReceiver {
    /// Keeps the attribute.
    public func setAttribute(_ value: Any, forKeyPath keyPath: String) { attributes[keyPath] = value }
}

extension NibGenericObject: NibActionTarget {
    /// Takes every action and does nothing.
    public func action(_ selector: String) -> ((AnyObject?) -> Void)? { { _ in } }
}

/// The generic objects of an instance, which refer to each other in cycles and in chains of any length.
final class NibGenericObjects {
    private var all: [NibGenericObject] = []

    func make(_ className: String) -> NibGenericObject {
        let object = NibGenericObject(className: className)
        all.append(object)
        return object
    }

    // Ends the cycles. No chain is released recursively, since this list still holds each link.
    deinit { all.forEach { $0.clear() } }
}
