// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A property list whose values are read where they are, so that no tree of all values is made.
///
/// Each value has a number. The functions for elements, keys and values take positions below the count of their list.
protocol PropertyListSource {
    /// A number above those of all values.
    var count: Int { get }
    /// The number of the outermost value.
    var root: Int { get }
    /// The value with a number.
    func value(_ number: Int) throws(NibError) -> PropertyListValue
    /// The number of an array's element.
    func element(_ position: Int, of array: PropertyListElements) throws(NibError) -> Int
    /// The number of a dictionary's key; equal keys mostly have the same one.
    func key(_ position: Int, of dictionary: PropertyListElements) throws(NibError) -> Int
    /// The number of the value under a dictionary's key.
    func value(_ position: Int, of dictionary: PropertyListElements) throws(NibError) -> Int
    /// The bytes of data, or of a text in UTF-8.
    func bytes(of text: PropertyListText) -> [UInt8]
}

/// A value of a property list, without what is in it.
enum PropertyListValue {
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case string(PropertyListText)
    case data(PropertyListText)
    /// Seconds since 2001.
    case date(Double)
    /// A reference of a keyed archive, CFKeyedArchiverUID.
    case uid(Int)
    case array(PropertyListElements)
    /// In the order of the file.
    case dictionary(PropertyListElements)
}

/// Where the elements of an array or a dictionary are; a file has fewer than 2^32 bytes.
struct PropertyListElements {
    private let first: UInt32
    private let number: UInt32

    init(start: Int, count: Int) { (first, number) = (UInt32(start), UInt32(count)) }

    var start: Int { Int(first) }
    var count: Int { Int(number) }
}

/// Where the bytes of a text or of data are.
struct PropertyListText {
    enum Form {
        /// Bytes of the file that are meant as they are.
        case plain
        /// Bytes of the file in ASCII, unless the file is damaged.
        case ascii
        /// Bytes of the file in UTF-16, high ones first.
        case utf16
        /// Bytes that were decoded before.
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
