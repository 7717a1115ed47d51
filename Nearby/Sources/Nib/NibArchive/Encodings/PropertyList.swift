// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A property list whose values are read on demand, so that no tree of all values is built.
///
/// Each value has a number. The functions for elements, keys and values require positions below the count of their
/// collection.
protocol PropertyListSource {
    /// An upper bound that exceeds all value numbers.
    var count: Int { get }
    /// The number of the outermost value.
    var root: Int { get }
    /// Returns the value with a number.
    func value(_ number: Int) throws(NibError) -> PropertyListValue
    /// Returns the number of an array's element.
    func element(_ position: Int, of array: PropertyListElements) throws(NibError) -> Int
    /// Returns the number of a dictionary's key; equal keys usually have the same number.
    func key(_ position: Int, of dictionary: PropertyListElements) throws(NibError) -> Int
    /// Returns the number of the value of a dictionary's key.
    func value(_ position: Int, of dictionary: PropertyListElements) throws(NibError) -> Int
    /// Returns the bytes of data, or of a text as UTF-8.
    func bytes(of text: PropertyListText) -> [UInt8]
}

/// A value of a property list, without nested values.
enum PropertyListValue {
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case string(PropertyListText)
    case data(PropertyListText)
    /// Seconds since 2001.
    case date(Double)
    /// A reference of a keyed archive (CFKeyedArchiverUID).
    case uid(Int)
    case array(PropertyListElements)
    /// A dictionary, in file order.
    case dictionary(PropertyListElements)
}

/// The position and count of the elements of an array or dictionary; a file has fewer than 2^32 bytes.
struct PropertyListElements {
    private let first: UInt32
    private let number: UInt32

    init(start: Int, count: Int) { (first, number) = (UInt32(start), UInt32(count)) }

    var start: Int { Int(first) }
    var count: Int { Int(number) }
}

/// The byte range of a text or of a data value.
struct PropertyListText {
    enum Form {
        /// Bytes of the file, used unchanged.
        case plain
        /// Bytes of the file in ASCII, unless the file is damaged.
        case ascii
        /// Bytes of the file in big-endian UTF-16.
        case utf16
        /// Bytes decoded while parsing.
        case decoded
    }

    private let first: UInt32
    private let number: UInt32
    let form: Form

    init(start: Int, count: Int, form: Form) {
        (first, number, self.form) = (UInt32(start), UInt32(count), form)
    }

    var range: Range<Int> { Int(first)..<Int(first) + Int(number) }
}
