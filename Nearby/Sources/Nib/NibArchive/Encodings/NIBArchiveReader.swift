// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Reads a NIBArchive: a header, followed by tables of objects, keys, values and classes.
struct NIBArchiveReader {
    static let magic = Array("NIBArchive".utf8)

    private let bytes: [UInt8]
    private var index = 0
    /// The part being read, for error messages.
    private var part = NibPart.header
    /// The number of values that the objects read so far refer to.
    private var valuesOfObjects = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func nib() throws(NibError) -> Nib {
        index = Self.magic.count
        let formatVersion = try integer(UInt32.self)
        guard formatVersion == 1 else { throw .unsupportedVersion(formatVersion) }
        let coderVersion = try integer(UInt32.self)
        let objectTable = try tableBounds()
        let keyTable = try tableBounds()
        let valueTable = try tableBounds()
        let classTable = try tableBounds()

        let classCount = classTable.count
        let classes = try table(.class, classTable, minimumEntrySize: 2) { reader throws(NibError) in
            try reader.classEntry(classCount: classCount)
        }
        let keys = try table(.key, keyTable, minimumEntrySize: 1) { reader throws(NibError) in
            try reader.text(count: try reader.length())
        }
        let values = try table(.value, valueTable, minimumEntrySize: 2) { reader throws(NibError) in
            try reader.valueEntry(keyCount: keys.count, objectCount: objectTable.count)
        }
        let objects = try table(.object, objectTable, minimumEntrySize: 3) { reader throws(NibError) in
            try reader.objectEntry(classCount: classCount, valueCount: values.count)
        }
        return Nib(
            checked: .nibArchive(formatVersion: formatVersion, coderVersion: coderVersion), objects: objects,
            keys: keys, values: values, classes: classes)
    }

    private mutating func tableBounds() throws(NibError) -> (count: Int, offset: Int) {
        (Int(try integer(UInt32.self)), Int(try integer(UInt32.self)))
    }

    /// Reads one table; an entry count that exceeds the remaining bytes is rejected.
    private mutating func table<Entry>(
        _ part: NibPart, _ bounds: (count: Int, offset: Int), minimumEntrySize: Int,
        _ entry: (inout NIBArchiveReader) throws(NibError) -> Entry
    ) throws(NibError) -> [Entry] {
        self.part = part
        guard bounds.offset <= bytes.count, bounds.count <= (bytes.count - bounds.offset) / minimumEntrySize else {
            throw .unexpectedEnd(part, offset: bytes.count)
        }
        index = bounds.offset
        var entries: [Entry] = []
        entries.reserveCapacity(bounds.count)
        for _ in 0..<bounds.count { entries.append(try entry(&self)) }
        return entries
    }

    private mutating func objectEntry(classCount: Int, valueCount: Int) throws(NibError) -> NibObject {
        let start = index
        let classIndex = try length()
        guard classIndex < classCount else { throw .badIndex(.class, index: classIndex, offset: start) }
        let first = try length()
        let count = try length()
        // Both numbers are below 2^32, so the sum cannot overflow.
        guard first + count <= valueCount else { throw .badIndex(.value, index: first + count, offset: start) }
        // Optimized files share values between objects, but if every object had all values, the size would grow with
        // the square of the file's size.
        valuesOfObjects += count
        guard valuesOfObjects <= 16 * valueCount + 1_000 else { throw .malformed(.object, offset: start) }
        return NibObject(classIndex: classIndex, values: first..<first + count)
    }

    private mutating func valueEntry(keyCount: Int, objectCount: Int) throws(NibError) -> NibEntry {
        let start = index
        let key = try length()
        guard key < keyCount else { throw .badIndex(.key, index: key, offset: start) }
        let value: NibValue
        switch try integer(UInt8.self) {
        case 0: value = .int8(try integer(Int8.self))
        case 1: value = .int16(try integer(Int16.self))
        case 2: value = .int32(try integer(Int32.self))
        case 3: value = .int64(try integer(Int64.self))
        case 4: value = .bool(false)
        case 5: value = .bool(true)
        case 6: value = .float(Float(bitPattern: try integer(UInt32.self)))
        case 7: value = .double(Double(bitPattern: try integer(UInt64.self)))
        case 8: value = .data(Array(try take(try length())))
        case 9: value = .nil
        case 10:
            let object = Int(try integer(UInt32.self))
            guard object < objectCount else { throw .badIndex(.object, index: object, offset: start) }
            value = .object(NibReference(object))
        default: throw .malformed(.value, offset: start)
        }
        return NibEntry(keyIndex: key, value: value)
    }

    private mutating func classEntry(classCount: Int) throws(NibError) -> NibClass {
        let start = index
        let count = try length()
        let fallbackCount = try length()
        guard fallbackCount <= (bytes.count - index) / 4 else { throw .unexpectedEnd(.class, offset: bytes.count) }
        var fallbacks: [Int] = []
        for _ in 0..<fallbackCount {
            let fallback = Int(try integer(UInt32.self))
            guard fallback < classCount else { throw .badIndex(.class, index: fallback, offset: start) }
            fallbacks.append(fallback)
        }
        let name = try text(count: count)
        // Without the NUL, the writer could not reproduce the same bytes.
        guard name.utf8.last == 0 else { throw .malformed(.class, offset: start) }
        return NibClass(String(name.unicodeScalars.dropLast()), fallbacks: fallbacks)
    }

    private mutating func text(count: Int) throws(NibError) -> String {
        let start = index
        guard let text = String(validating: try take(count), as: UTF8.self) else {
            throw .malformed(part, offset: start)
        }
        return text
    }

    /// Reads a variable-length integer of up to five bytes with seven bits each, low bits first; the high bit marks the
    /// last byte.
    private mutating func length() throws(NibError) -> Int {
        let start = index
        var value = 0
        for shift in stride(from: 0, to: 35, by: 7) {
            let byte = try integer(UInt8.self)
            value |= Int(byte & 0x7F) << shift
            guard byte & 0x80 == 0 else {
                guard value <= UInt32.max else { break }
                return value
            }
        }
        throw .malformed(part, offset: start)
    }

    private mutating func integer<Integer: FixedWidthInteger>(_: Integer.Type) throws(NibError) -> Integer {
        let count = Integer.bitWidth / 8
        guard count <= bytes.count - index else { throw .unexpectedEnd(part, offset: bytes.count) }
        var value: Integer = 0
        for position in 0..<count { value |= Integer(truncatingIfNeeded: bytes[index + position]) << (8 * position) }
        index += count
        return value
    }

    private mutating func take(_ count: Int) throws(NibError) -> ArraySlice<UInt8> {
        guard count <= bytes.count - index else { throw .unexpectedEnd(part, offset: bytes.count) }
        defer { index += count }
        return bytes[index..<index + count]
    }
}
