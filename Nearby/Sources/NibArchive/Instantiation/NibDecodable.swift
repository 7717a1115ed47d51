// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An object that gets the values which the nib has for it.
public protocol NibDecodable: AnyObject {
    /// Takes the object's values.
    ///
    /// Objects that a value refers to are decoded before, except where they refer back to this one, or the references are very deep.
    func decode(from coder: any NibCoder) throws
}

/// Gives an object its values by their keys, as NSCoder does.
public protocol NibCoder {
    /// The class that the nib names for the object; that of the program where it has one.
    var className: String { get }
    /// The keys of the object's values, each once.
    var keys: [String] { get }
    /// What stands under a key: an `Int`, `Double`, `Bool`, `String`, `[UInt8]`, `Date`, array, dictionary by texts, point, size, rectangle or
    /// object; `nil` where nothing does.
    ///
    /// - Throws: ``NibInstantiationError``, or what a factory or the decoding of another object throws.
    func value(forKey key: String) throws -> Any?
}

extension NibCoder {
    /// The value under a key as one of a type; `nil` where there is none.
    ///
    /// Numbers are converted to the type, and texts to points, sizes and rectangles.
    ///
    /// - Throws: ``NibInstantiationError/valueOfOtherType(className:key:expected:found:)``, or what
    ///   ``NibCoder/value(forKey:)`` throws.
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

/// An object that is told when all objects of its nib are connected.
public protocol NibAwakening: AnyObject {
    /// Called once, after the nib's outlets, actions and attributes are set.
    func awakeFromNib()
}

/// An object that takes the runtime attributes of Interface Builder's identity inspector.
public protocol NibAttributeReceiver: AnyObject {
    /// Sets what a key path leads to.
    func setAttribute(_ value: Any, forKeyPath keyPath: String) throws
}
