// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An object that decodes its values from a nib.
public protocol NibDecodable: AnyObject {
    /// Decodes the object's values.
    ///
    /// Referenced objects are decoded first, unless they refer back to this object or the references are nested very
    /// deeply.
    ///
    /// - Parameter coder: The decoder of the object's values.
    /// - Throws: Any error, which stops the instantiation.
    func decode(from coder: any NibCoder) throws
}

/// Decodes an object's values by key, as NSCoder does.
public protocol NibCoder {
    /// The class name of the object in the nib; the custom class, if the nib names one.
    var className: String { get }
    /// The keys of the object's values, without duplicates.
    var keys: [String] { get }
    /// Returns the value under a key.
    ///
    /// - Parameter key: The key.
    /// - Returns: An `Int`, `Double`, `Bool`, `String`, `[UInt8]`, `Date`, array, dictionary with `String` keys,
    ///   ``NibPoint``, ``NibSize``, ``NibRect`` or object; `nil` if the object has no value under the key.
    /// - Throws: ``NibInstantiationError``, or an error from a factory or from decoding another object.
    func value(forKey key: String) throws -> Any?
}

extension NibCoder {
    /// Returns the value under a key, converted to a type.
    ///
    /// Numbers are converted to the type, and texts to points, sizes and rectangles.
    ///
    /// - Parameters:
    ///   - type: The type, which is inferred by default.
    ///   - key: The key.
    /// - Returns: The value; `nil` if the object has no value under the key.
    /// - Throws: ``NibInstantiationError/valueTypeMismatch(className:key:expected:found:)``, and the errors of
    ///   ``NibCoder/value(forKey:)``.
    public func decode<Value>(_ type: Value.Type = Value.self, forKey key: String) throws -> Value? {
        guard let value = try value(forKey: key) else { return nil }
        guard let converted = convert(value, to: type) else {
            throw NibInstantiationError.valueTypeMismatch(
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

/// An object that is notified when all objects of its nib are connected.
public protocol NibAwakening: AnyObject {
    /// Completes the object's initialization; called once, after the nib's outlets, actions, attributes and bindings
    /// are set.
    func awakeFromNib()
}

/// An object that accepts the runtime attributes of Interface Builder's identity inspector.
public protocol NibAttributeReceiver: AnyObject {
    /// Sets the property at a key path.
    ///
    /// - Parameters:
    ///   - value: A value of the types that ``NibCoder/value(forKey:)`` lists.
    ///   - keyPath: A key path such as `layer.cornerRadius`.
    /// - Throws: Any error, which stops the instantiation.
    func setAttribute(_ value: Any, forKeyPath keyPath: String) throws
}
