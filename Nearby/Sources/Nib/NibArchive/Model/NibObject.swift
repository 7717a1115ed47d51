// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An archived object: its class, and the range of its values among the nib's values.
public struct NibObject: Hashable, Sendable {
    /// The class's place in ``Nib/classes``.
    public let classIndex: Int
    /// The places of the object's values in ``Nib/values``; `0..<0` where it has none.
    public let values: Range<Int>

    /// Makes an object of the place of its class and the places of its values.
    public init(classIndex: Int, values: Range<Int>) { (self.classIndex, self.values) = (classIndex, values) }
}

/// A class of archived objects.
public struct NibClass: Hashable, Sendable {
    /// The name, without the NUL that ends it in the file.
    public let name: String
    /// The places in ``Nib/classes`` of the classes that a reader takes if it does not know this one, best first.
    public let fallbacks: [Int]

    /// Makes a class of its name and the places of its fallbacks, none by default.
    public init(_ name: String, fallbacks: [Int] = []) { (self.name, self.fallbacks) = (name, fallbacks) }
}

/// A value of an object under a key.
public struct NibEntry: Hashable, Sendable {
    /// The key's place in ``Nib/keys``.
    public let keyIndex: Int
    /// The value under the key.
    public let value: NibValue

    /// Makes an entry of a key's place and a value.
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
    /// A truth value; a NIBArchive has one type for false and one for true.
    case bool(Bool)
    /// A floating-point number of four bytes.
    case float(Float)
    /// A floating-point number of eight bytes.
    case double(Double)
    /// Bytes, such as a string's in UTF-8.
    case data([UInt8])
    /// No object.
    case `nil`
    /// Another object of the nib.
    case object(NibReference)

    /// Returns the value of an integer with the fewest bytes that can hold it, as Interface Builder writes it.
    public static func integer(_ value: Int64) -> NibValue {
        if let value = Int8(exactly: value) { return .int8(value) }
        if let value = Int16(exactly: value) { return .int16(value) }
        return if let value = Int32(exactly: value) { .int32(value) } else { .int64(value) }
    }

    /// The integer, of any size; `nil` for a value of another type.
    public var integer: Int64? {
        switch self {
        case .int8(let value): Int64(value)
        case .int16(let value): Int64(value)
        case .int32(let value): Int64(value)
        case .int64(let value): value
        default: nil
        }
    }

    /// The object to which the value refers; `nil` for a value of another type.
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
///
/// The functions of ``Nib`` that take a reference require one of the nib's own objects: another place than those of ``Nib/objects`` traps.
public struct NibReference: Hashable, Sendable, Comparable {
    /// The object's place in ``Nib/objects``.
    public let index: Int

    /// A reference to the object at a place.
    public init(_ index: Int) { self.index = index }

    /// Whether the first object stands before the second one.
    public static func < (first: NibReference, second: NibReference) -> Bool { first.index < second.index }
}
