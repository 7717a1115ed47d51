// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A binary property list.
///
/// Foundation's reader is unsuitable, because on Linux it represents the references of a keyed archive by a private
/// class, without their numbers.
struct BinaryPropertyList: PropertyListSource {
    static let magic = Array("bplist00".utf8)

    let count: Int
    let root: Int
    private let bytes: [UInt8]
    /// The offset of the offset table.
    private let table: Int
    private let offsetSize: Int
    private let referenceSize: Int

    init(_ bytes: [UInt8]) throws(NibError) {
        let trailer = bytes.count - 32
        guard trailer >= Self.magic.count else { throw .unexpectedEnd(.propertyList, offset: bytes.count) }
        self.bytes = bytes
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        count = try Self.integer(bytes, at: trailer + 8, size: 8)
        root = try Self.integer(bytes, at: trailer + 16, size: 8)
        table = try Self.integer(bytes, at: trailer + 24, size: 8)
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), table <= trailer,
            count <= (trailer - table) / offsetSize
        else { throw .malformed(.propertyList, offset: trailer) }
        guard root < count else { throw .badIndex(.propertyList, index: root, offset: trailer) }
    }

    func value(_ number: Int) throws(NibError) -> PropertyListValue {
        let offset = try shortInteger(at: table + number * offsetSize, size: offsetSize)
        guard offset < bytes.count else { throw .unexpectedEnd(.propertyList, offset: offset) }
        let (type, low) = (bytes[offset] >> 4, Int(bytes[offset] & 0xF))
        switch type {
        case 0x0 where low == 8 || low == 9: return .bool(low == 9)
        case 0x1 where low <= 4: return .integer(try signedInteger(at: offset + 1, size: 1 << low))
        case 0x2 where low == 2:
            return .real(Double(Float(bitPattern: UInt32(try integer(at: offset + 1, size: 4)))))
        case 0x2 where low == 3: return .real(try double(at: offset + 1))
        case 0x3 where low == 3: return .date(try double(at: offset + 1))
        case 0x4: return .data(try text(low, at: offset, .plain))
        case 0x5: return .string(try text(low, at: offset, .ascii))
        case 0x6: return .string(try text(low, at: offset, .utf16))
        case 0x8:
            guard offset + low + 1 < bytes.count else { throw .unexpectedEnd(.propertyList, offset: bytes.count) }
            return .uid(try shortInteger(at: offset + 1, size: low + 1))
        case 0xA, 0xC: return .array(try elements(low, at: offset, listSize: referenceSize))
        case 0xD: return .dictionary(try elements(low, at: offset, listSize: 2 * referenceSize))
        default: throw .malformed(.propertyList, offset: offset)
        }
    }

    func element(_ position: Int, of array: PropertyListElements) throws(NibError) -> Int {
        try reference(at: array.start + position * referenceSize)
    }

    func key(_ position: Int, of dictionary: PropertyListElements) throws(NibError) -> Int {
        try reference(at: dictionary.start + position * referenceSize)
    }

    /// Returns a dictionary's value; all values follow all keys.
    func value(_ position: Int, of dictionary: PropertyListElements) throws(NibError) -> Int {
        try reference(at: dictionary.start + (dictionary.count + position) * referenceSize)
    }

    func bytes(of text: PropertyListText) -> [UInt8] {
        let found = bytes[text.range]
        switch text.form {
        case .ascii where found.contains { $0 >= 0x80 }: return Array(String(decoding: found, as: UTF8.self).utf8)
        case .plain, .ascii, .decoded: return Array(found)
        case .utf16:
            let units = stride(from: text.range.lowerBound, to: text.range.upperBound, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            return Array(String(decoding: units, as: UTF16.self).utf8)
        }
    }

    private func text(
        _ low: Int, at offset: Int, _ form: PropertyListText.Form
    ) throws(NibError) -> PropertyListText {
        let size = form == .utf16 ? 2 : 1
        let (count, start) = try count(low, at: offset, size: size)
        return PropertyListText(start: start, count: count * size, form: form)
    }

    private func elements(_ low: Int, at offset: Int, listSize: Int) throws(NibError) -> PropertyListElements {
        let (count, start) = try count(low, at: offset, size: listSize)
        return PropertyListElements(start: start, count: count)
    }

    /// Returns the number of elements that follow, which all lie within the file, and their offset; a low nibble of
    /// fifteen means that an integer contains the count.
    private func count(_ low: Int, at offset: Int, size: Int) throws(NibError) -> (count: Int, start: Int) {
        var (count, start) = (low, offset + 1)
        if low == 0xF {
            guard start < bytes.count else { throw .unexpectedEnd(.propertyList, offset: bytes.count) }
            let marker = bytes[start]
            guard marker & 0xF0 == 0x10, marker & 0xF <= 3 else { throw .malformed(.propertyList, offset: offset) }
            let integerSize = 1 << Int(marker & 0xF)
            count = try integer(at: start + 1, size: integerSize)
            start += 1 + integerSize
        }
        guard start <= bytes.count, count <= (bytes.count - start) / size else {
            throw .unexpectedEnd(.propertyList, offset: bytes.count)
        }
        return (count, start)
    }

    /// Returns the number of the value that a reference points to.
    private func reference(at offset: Int) throws(NibError) -> Int {
        let number = try shortInteger(at: offset, size: referenceSize)
        guard number < count else { throw .badIndex(.propertyList, index: number, offset: offset) }
        return number
    }

    /// Reads an offset or a reference at a position known to lie within the file; inlined, because each value needs
    /// several of them.
    @inline(__always)
    private func shortInteger(at start: Int, size: Int) throws(NibError) -> Int {
        switch size {
        case 1: Int(bytes[start])
        case 2: Int(bytes[start]) << 8 | Int(bytes[start + 1])
        case 3: Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
        case 4:
            Int(bytes[start]) << 24 | Int(bytes[start + 1]) << 16 | Int(bytes[start + 2]) << 8 | Int(bytes[start + 3])
        default: try integer(at: start, size: size)
        }
    }

    private func integer(at start: Int, size: Int) throws(NibError) -> Int {
        try Self.integer(bytes, at: start, size: size)
    }

    /// Reads a count, offset or reference, which is at most `Int.max`.
    private static func integer(_ bytes: [UInt8], at start: Int, size: Int) throws(NibError) -> Int {
        guard start <= bytes.count, size <= bytes.count - start else {
            throw .unexpectedEnd(.propertyList, offset: bytes.count)
        }
        for index in start..<start + max(0, size - 8) where bytes[index] != 0 {
            throw .malformed(.propertyList, offset: start)
        }
        var value: UInt64 = 0
        for index in start + max(0, size - 8)..<start + size { value = value << 8 | UInt64(bytes[index]) }
        guard let value = Int(exactly: value) else { throw .malformed(.propertyList, offset: start) }
        return value
    }

    /// Reads an integer: 1, 2 and 4 bytes are unsigned; 16 bytes contain a 64-bit unsigned integer.
    private func signedInteger(at start: Int, size: Int) throws(NibError) -> Int64 {
        guard start <= bytes.count, size <= bytes.count - start else {
            throw .unexpectedEnd(.propertyList, offset: bytes.count)
        }
        var value: UInt64 = 0
        for index in start + max(0, size - 8)..<start + size { value = value << 8 | UInt64(bytes[index]) }
        return Int64(bitPattern: value)
    }

    private func double(at start: Int) throws(NibError) -> Double {
        Double(bitPattern: UInt64(bitPattern: try signedInteger(at: start, size: 8)))
    }
}
