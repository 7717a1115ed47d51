// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An object that takes the values that the nib holds for it.
public protocol NibDecodable: AnyObject {
    /// Takes the object's values.
    ///
    /// Objects that a value refers to are decoded before, except where they refer back to this one, or the references are very deep.
    ///
    /// - Parameter coder: The source of the values.
    /// - Throws: Any error, which ends the instantiation.
    func decode(from coder: any NibCoder) throws
}

/// Gives an object its values by their keys, as NSCoder does.
public protocol NibCoder {
    /// The class that the nib names for the object; the program's own class, if the nib names one.
    var className: String { get }
    /// The keys of the object's values, each once.
    var keys: [String] { get }
    /// Returns the value under a key.
    ///
    /// - Parameter key: The key.
    /// - Returns: An `Int`, `Double`, `Bool`, `String`, `[UInt8]`, `Date`, array, dictionary with `String` keys, ``NibPoint``, ``NibSize``,
    ///   ``NibRect`` or object; `nil` if the object has no value under the key.
    /// - Throws: ``NibInstantiationError``, or the error of a factory or of the decoding of another object.
    func value(forKey key: String) throws -> Any?
}

extension NibCoder {
    /// Returns the value under a key as a value of a type.
    ///
    /// Numbers are converted to the type, and texts to points, sizes and rectangles.
    ///
    /// - Parameters:
    ///   - type: The type, which is inferred by default.
    ///   - key: The key.
    /// - Returns: The value; `nil` if the object has no value under the key.
    /// - Throws: ``NibInstantiationError/valueOfOtherType(className:key:expected:found:)``, and the errors of
    ///   ``NibCoder/value(forKey:)``.
    public func decode<Value>(_ type: Value.Type = Value.self, forKey key: String) throws -> Value? {
        guard let value = try value(forKey: key) else { return nil }
        guard let converted = convert(value, to: type) else {
            throw NibInstantiationError.valueOfOtherType(
                className: className, key: key, expected: "\(type)", found: "\(Swift.type(of: value))")
        }
        return converted
    }

    private func convert<Value>(_ value: Any, to type: Value.Type) -> Value? {
        if let value = value as? Value { return value }
        switch (type, value) {
        case (is Double.Type, let value as Int): return Double(value) as? Value
        case (is Float.Type, let value as Int): return Float(value) as? Value
        case (is Float.Type, let value as Double): return Float(value) as? Value
        case (is Bool.Type, let value as Int): return (value != 0) as? Value
        case (is String.Type, let value as [UInt8]): return String(validating: value, as: UTF8.self) as? Value
        case (is NibPoint.Type, let value as String): return NibPoint(value) as? Value
        case (is NibSize.Type, let value as String): return NibSize(value) as? Value
        case (is NibRect.Type, let value as String): return NibRect(value) as? Value
        default: return nil
        }
    }
}

/// An object with a function that is called when all objects of its nib are connected.
public protocol NibAwakening: AnyObject {
    /// Finishes the object; called once, after the nib's outlets, actions, attributes and bindings are set.
    func awakeFromNib()
}

/// An object that takes the runtime attributes of Interface Builder's identity inspector.
public protocol NibAttributeReceiver: AnyObject {
    /// Sets the property to which a key path leads.
    ///
    /// - Parameters:
    ///   - value: A value of the types that ``NibCoder/value(forKey:)`` lists.
    ///   - keyPath: A key path such as `layer.cornerRadius`.
    /// - Throws: Any error, which ends the instantiation.
    func setAttribute(_ value: Any, forKeyPath keyPath: String) throws
}
