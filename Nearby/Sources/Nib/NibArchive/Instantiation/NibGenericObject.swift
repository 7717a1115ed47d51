// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A substitute for an object whose class has no factory in the registry.
///
/// It stores its values, outlets and actions by name as long as its ``NibInstance`` exists.
public final class NibGenericObject {
    /// The class name of the object in the nib.
    public let className: String
    /// The object's values by key, as ``NibCoder/value(forKey:)`` returns them, and its runtime attributes by key path.
    public private(set) var attributes: [String: Any] = [:]
    /// The objects of each outlet, by outlet name; the objects of an outlet collection are in order.
    public private(set) var outlets: [String: [AnyObject]] = [:]
    /// The actions that the object sends, in the order of the nib.
    public private(set) var actions: [NibAction] = []
    /// The bindings of the object, in the order of the nib.
    public private(set) var bindings: [Binding] = []

    /// A binding of the nib.
    public struct Binding {
        /// The bound property, such as `value` or `enabled2`.
        public let name: String
        /// The object to which the key path is relative.
        public let object: AnyObject
        /// The key path of the value, such as `values.ActivateOnLaunch`.
        public let keyPath: String
        /// The options by name, such as `NSNegateBoolean`.
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
    /// Stores all values.
    ///
    /// - Parameter coder: The decoder of the values.
    /// - Throws: The errors of ``NibCoder/value(forKey:)``.
    public func decode(from coder: any NibCoder) throws {
        for key in coder.keys { attributes[key] = try coder.value(forKey: key) }
    }
}

extension NibGenericObject: NibActionSender {
    /// Stores the action.
    public func bind(_ action: NibAction) { actions.append(action) }
}

extension NibGenericObject: NibBindable {
    /// Stores the binding.
    public func bind(_ binding: String, to object: AnyObject, keyPath: String, options: [String: Any]) {
        bindings.append(Binding(name: binding, object: object, keyPath: keyPath, options: options))
    }
}

extension NibGenericObject: NibAttributeReceiver {
    /// Stores the attribute.
    public func setAttribute(_ value: Any, forKeyPath keyPath: String) { attributes[keyPath] = value }
}

extension NibGenericObject: NibActionTarget {
    /// Returns a function that does nothing, for every action.
    public func action(_ selector: String) -> ((AnyObject?) -> Void)? { { _ in } }
}

/// The generic objects of an instance, which may refer to each other in cycles and in chains of any length.
final class NibGenericObjects {
    private var all: [NibGenericObject] = []

    func make(_ className: String) -> NibGenericObject {
        let object = NibGenericObject(className: className)
        all.append(object)
        return object
    }

    // Breaks the reference cycles. No chain is released recursively, because this array still holds every object.
    deinit { all.forEach { $0.clear() } }
}
