// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An archived object: its class and the range of its values.
public struct NibObject: Hashable, Sendable {
    /// The index of the class in ``Nib/classes``.
    public let classIndex: Int
    /// The indices of the object's values in ``Nib/values``; `0..<0` if it has none.
    public let values: Range<Int>

    /// Creates an object from the index of its class and the indices of its values.
    public init(classIndex: Int, values: Range<Int>) { (self.classIndex, self.values) = (classIndex, values) }
}

/// A class of archived objects.
public struct NibClass: Hashable, Sendable {
    /// The name, without its terminating NUL.
    public let name: String
    /// The indices in ``Nib/classes`` of the fallback classes for a reader that does not know this class, in order of
    /// preference.
    public let fallbacks: [Int]

    /// Creates a class from its name and the indices of its fallbacks, none by default.
    public init(_ name: String, fallbacks: [Int] = []) { (self.name, self.fallbacks) = (name, fallbacks) }
}

/// A value of an object under a key.
public struct NibEntry: Hashable, Sendable {
    /// The index of the key in ``Nib/keys``.
    public let keyIndex: Int
    /// The value under the key.
    public let value: NibValue

    /// Creates an entry from a key index and a value.
    public init(keyIndex: Int, value: NibValue) { (self.keyIndex, self.value) = (keyIndex, value) }
}

/// A value of one of the eleven NIBArchive types, in the order of their numbers.
public enum NibValue: Hashable, Sendable {
    /// A one-byte integer.
    case int8(Int8)
    /// A two-byte integer.
    case int16(Int16)
    /// A four-byte integer.
    case int32(Int32)
    /// An eight-byte integer.
    case int64(Int64)
    /// A Boolean; a NIBArchive has one type for false and one for true.
    case bool(Bool)
    /// A four-byte floating-point number.
    case float(Float)
    /// An eight-byte floating-point number.
    case double(Double)
    /// Bytes, such as a string in UTF-8.
    case data([UInt8])
    /// No object.
    case `nil`
    /// Another object of the nib.
    case object(NibReference)

    /// Returns an integer value of the smallest size that can hold it, as Interface Builder writes it.
    public static func integer(_ value: Int64) -> NibValue {
        if let value = Int8(exactly: value) { return .int8(value) }
        if let value = Int16(exactly: value) { return .int16(value) }
        return if let value = Int32(exactly: value) { .int32(value) } else { .int64(value) }
    }

    /// The integer of any size; `nil` for a value of another type.
    public var integer: Int64? {
        switch self {
        case .int8(let value): Int64(value)
        case .int16(let value): Int64(value)
        case .int32(let value): Int64(value)
        case .int64(let value): value
        default: nil
        }
    }

    /// The referenced object; `nil` for a value of another type.
    public var reference: NibReference? {
        guard case .object(let reference) = self else { return nil }
        return reference
    }

    /// The NIBArchive type number, from 0 to 10.
    public var type: UInt8 {
        switch self {
        case .int8: 0
        case .int16: 1
        case .int32: 2
        case .int64: 3
        case .bool(false): 4
        case .bool(true): 5
        case .float: 6
        case .double: 7
        case .data: 8
        case .nil: 9
        case .object: 10
        }
    }
}

/// A reference to an object of a nib.
///
/// The functions of ``Nib`` that take a reference require a valid index of ``Nib/objects``; any other index traps.
public struct NibReference: Hashable, Sendable, Comparable {
    /// The index of the object in ``Nib/objects``.
    public let index: Int

    /// Creates a reference to the object at an index.
    public init(_ index: Int) { self.index = index }

    /// Returns whether the first object precedes the second.
    public static func < (first: NibReference, second: NibReference) -> Bool { first.index < second.index }
}
