// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Reads records of comma-separated values (RFC 4180), one after the other.
///
/// A line may also end in LF alone, and the last one in nothing. A quote inside a field that does not begin with one is a character.
struct CSVReader {
    private let bytes: ArraySlice<UInt8>
    private var index: Int

    init(_ bytes: [UInt8]) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        self.bytes = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
        index = self.bytes.startIndex
    }

    /// The number of the line at which the next record begins, from 1.
    private(set) var line = 1

    /// The next record; `nil` after the last one.
    ///
    /// - Throws: ``PasswordListError/unclosedQuote(line:)``.
    mutating func next() throws(PasswordListError) -> [[UInt8]]? {
        guard index < bytes.endIndex else { return nil }
        var fields: [[UInt8]] = []
        while true {
            fields.append(try field())
            guard index < bytes.endIndex else { return fields }
            let end = bytes[index]
            index += 1
            if end == Self.comma { continue }
            if end == Self.carriageReturn, index < bytes.endIndex, bytes[index] == Self.lineFeed { index += 1 }
            line += 1
            return fields
        }
    }

    /// Reads up to a comma, an end of a line or the end.
    private mutating func field() throws(PasswordListError) -> [UInt8] {
        guard index < bytes.endIndex, bytes[index] == Self.quote else { return plainField() }
        let start = line
        index += 1
        var field: [UInt8] = []
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            if byte == Self.lineFeed { line += 1 }
            guard byte == Self.quote else {
                field.append(byte)
                continue
            }
            guard index < bytes.endIndex, bytes[index] == Self.quote else { return field + plainField() }
            field.append(byte)
            index += 1
        }
        throw .unclosedQuote(line: start)
    }

    private mutating func plainField() -> [UInt8] {
        let start = index
        while index < bytes.endIndex, ![Self.comma, Self.lineFeed, Self.carriageReturn].contains(bytes[index]) {
            index += 1
        }
        return Array(bytes[start..<index])
    }

    private static let comma = UInt8(ascii: ",")
    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
}
