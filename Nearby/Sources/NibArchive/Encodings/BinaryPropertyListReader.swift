// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Reads a binary property list.
///
/// Foundation's reader gives the references of a keyed archive a private class on Linux, without their numbers.
struct BinaryPropertyListReader {
    static let magic = Array("bplist00".utf8)
    /// The root, `$objects`, an object and an array in it are four.
    private static let mostLevels = 32

    private let bytes: [UInt8]
    private var offsets: [Int] = []
    private var referenceSize = 0
    /// Each object is read once, however many refer to it; so neither time nor memory grows beyond the file's size.
    private var read: [PropertyList?] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func propertyList() throws(NibError) -> PropertyList {
        let trailer = bytes.count - 32
        guard trailer >= Self.magic.count else { throw .endsEarly(.propertyList, offset: bytes.count) }
        let offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        let count = try integer(at: trailer + 8, size: 8)
        let root = try integer(at: trailer + 16, size: 8)
        let table = try integer(at: trailer + 24, size: 8)
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), table <= trailer,
            count <= (trailer - table) / offsetSize
        else { throw .malformed(.propertyList, offset: trailer) }
        offsets.reserveCapacity(count)
        for index in 0..<count { offsets.append(try integer(at: table + index * offsetSize, size: offsetSize)) }
        read = Array(repeating: nil, count: count)
        return try object(root, level: 0, from: trailer)
    }

    /// The object with a number, to which the byte at an offset refers.
    private mutating func object(_ index: Int, level: Int, from source: Int) throws(NibError) -> PropertyList {
        guard offsets.indices.contains(index) else { throw .badIndex(.propertyList, index: index, offset: source) }
        if let found = read[index] { return found }
        let offset = offsets[index]
        // A cycle ends here too.
        guard level < Self.mostLevels else { throw .tooDeep(most: Self.mostLevels, offset: offset) }
        let found = try object(at: offset, level: level)
        read[index] = found
        return found
    }

    private mutating func object(at offset: Int, level: Int) throws(NibError) -> PropertyList {
        guard offset < bytes.count else { throw .endsEarly(.propertyList, offset: offset) }
        let (type, low) = (bytes[offset] >> 4, Int(bytes[offset] & 0xF))
        switch type {
        case 0x0 where low == 8 || low == 9: return .bool(low == 9)
        case 0x1 where low <= 4: return .integer(try signedInteger(at: offset + 1, size: 1 << low))
        case 0x2 where low == 2:
            return .real(Double(Float(bitPattern: UInt32(try integer(at: offset + 1, size: 4)))))
        case 0x2 where low == 3: return .real(try double(at: offset + 1))
        case 0x3 where low == 3: return .date(try double(at: offset + 1))
        case 0x8: return .uid(try integer(at: offset + 1, size: low + 1))
        case 0x4, 0x5, 0x6, 0xA, 0xC, 0xD: break
        default: throw .malformed(.propertyList, offset: offset)
        }
        let (count, start) = try count(low, at: offset)
        switch type {
        case 0x4: return .data(Array(try take(count, at: start)))
        case 0x5: return .string(String(decoding: try take(count, at: start), as: UTF8.self))
        case 0x6:
            guard count <= bytes.count / 2 else { throw .endsEarly(.propertyList, offset: offset) }
            let text = Array(try take(2 * count, at: start))
            return .string(
                String(
                    decoding: stride(from: 0, to: text.count, by: 2).map {
                        UInt16(text[$0]) << 8 | UInt16(text[$0 + 1])
                    },
                    as: UTF16.self))
        case 0xD:
            try checkReferences(count, at: start)
            let values = start + count * referenceSize
            try checkReferences(count, at: values)
            var entries: [(key: String, value: PropertyList)] = []
            entries.reserveCapacity(count)
            for index in 0..<count {
                guard case .string(let key) = try object(index, after: start, level: level + 1) else {
                    throw .malformed(.propertyList, offset: offset)
                }
                entries.append((key, try object(index, after: values, level: level + 1)))
            }
            return .dictionary(entries)
        default:
            try checkReferences(count, at: start)
            var elements: [PropertyList] = []
            elements.reserveCapacity(count)
            for index in 0..<count { elements.append(try object(index, after: start, level: level + 1)) }
            return .array(elements)
        }
    }

    /// How many elements or bytes an object has, and where they begin; fifteen means that an integer follows.
    private func count(_ low: Int, at offset: Int) throws(NibError) -> (count: Int, start: Int) {
        guard low == 0xF else { return (low, offset + 1) }
        guard offset + 1 < bytes.count else { throw .endsEarly(.propertyList, offset: bytes.count) }
        let marker = bytes[offset + 1]
        guard marker & 0xF0 == 0x10, marker & 0xF <= 3 else { throw .malformed(.propertyList, offset: offset) }
        let size = 1 << Int(marker & 0xF)
        return (try integer(at: offset + 2, size: size), offset + 2 + size)
    }

    /// The object to which a list's reference with a number leads.
    private mutating func object(_ index: Int, after list: Int, level: Int) throws(NibError) -> PropertyList {
        let source = list + index * referenceSize
        return try object(try integer(at: source, size: referenceSize), level: level, from: source)
    }

    /// Checks that a list of references is within the file, before there is space made for it.
    private func checkReferences(_ count: Int, at start: Int) throws(NibError) {
        guard start <= bytes.count, count <= (bytes.count - start) / referenceSize else {
            throw .endsEarly(.propertyList, offset: bytes.count)
        }
    }

    private func take(_ count: Int, at start: Int) throws(NibError) -> ArraySlice<UInt8> {
        guard start <= bytes.count, count <= bytes.count - start else {
            throw .endsEarly(.propertyList, offset: bytes.count)
        }
        return bytes[start..<start + count]
    }

    /// A number that is a count, an offset or a reference, and so at most `Int.max`.
    private func integer(at start: Int, size: Int) throws(NibError) -> Int {
        guard start <= bytes.count, size <= bytes.count - start else {
            throw .endsEarly(.propertyList, offset: bytes.count)
        }
        var value: UInt64 = 0
        for index in start..<start + size {
            guard value >> 56 == 0 else { throw .malformed(.propertyList, offset: start) }
            value = value << 8 | UInt64(bytes[index])
        }
        guard let value = Int(exactly: value) else { throw .malformed(.propertyList, offset: start) }
        return value
    }

    /// Integers of 1, 2 and 4 bytes have no sign; those of 16 bytes hold ones of 64 bits without a sign.
    private func signedInteger(at start: Int, size: Int) throws(NibError) -> Int64 {
        Int64(truncatingIfNeeded: try take(size, at: start).suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    private func double(at start: Int) throws(NibError) -> Double {
        Double(bitPattern: UInt64(bitPattern: try signedInteger(at: start, size: 8)))
    }
}
