// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An archived object: its class, and which of the nib's values are its own.
public struct NibObject: Hashable, Sendable {
    /// The class's place in ``Nib/classes``.
    public let classIndex: Int
    /// The places of the object's values in ``Nib/values``; `0..<0` where it has none.
    public let values: Range<Int>

    /// An object of a class with some of the nib's values.
    public init(classIndex: Int, values: Range<Int>) { (self.classIndex, self.values) = (classIndex, values) }
}

/// A class of archived objects.
public struct NibClass: Hashable, Sendable {
    /// The name, without the NUL that ends it in the file.
    public let name: String
    /// The places in ``Nib/classes`` of those that a reader takes where it does not know this one, best first.
    public let fallbacks: [Int]

    /// A class by its name.
    public init(_ name: String, fallbacks: [Int] = []) { (self.name, self.fallbacks) = (name, fallbacks) }
}

/// A value of an object under a key.
public struct NibEntry: Hashable, Sendable {
    /// The key's place in ``Nib/keys``.
    public let keyIndex: Int
    /// What stands under the key.
    public let value: NibValue

    /// A value under a key.
    public init(keyIndex: Int, value: NibValue) { (self.keyIndex, self.value) = (keyIndex, value) }
}

/// A value of one of the eleven types of a NIBArchive, in the order of their numbers there.
public enum NibValue: Hashable, Sendable {
    /// An integer of one byte.
    case int8(Int8)
    /// An integer of two bytes.
    case int16(Int16)
    /// An integer of four bytes.
    case int32(Int32)
    /// An integer of eight bytes.
    case int64(Int64)
    /// False or true, which have a type each.
    case bool(Bool)
    /// A number of four bytes.
    case float(Float)
    /// A number of eight bytes.
    case double(Double)
    /// Bytes, such as a string's in UTF-8.
    case data([UInt8])
    /// No object.
    case `nil`
    /// Another object of the nib.
    case object(NibReference)

    /// An integer in the least bytes that it takes, as Interface Builder writes it.
    public static func integer(_ value: Int64) -> NibValue {
        if let value = Int8(exactly: value) { return .int8(value) }
        if let value = Int16(exactly: value) { return .int16(value) }
        return if let value = Int32(exactly: value) { .int32(value) } else { .int64(value) }
    }

    /// The integer, of whatever size.
    public var integer: Int64? {
        switch self {
        case .int8(let value): Int64(value)
        case .int16(let value): Int64(value)
        case .int32(let value): Int64(value)
        case .int64(let value): value
        default: nil
        }
    }

    /// The object that the value refers to.
    public var reference: NibReference? {
        guard case .object(let reference) = self else { return nil }
        return reference
    }

    /// The number of the type in a NIBArchive, from 0 to 10.
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
public struct NibReference: Hashable, Sendable, Comparable {
    /// The object's place in ``Nib/objects``.
    public let index: Int

    /// A reference to the object at a place.
    public init(_ index: Int) { self.index = index }

    /// Whether the first object stands before the second one.
    public static func < (first: NibReference, second: NibReference) -> Bool { first.index < second.index }
}
