// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Checks the structure of BER from the outside in without recursion, so that malformed or deeply nested input never
/// reaches a parser.
///
/// It checks every length and the end of every indefinite length (X.690 section 8.1), and limits the number of elements
/// and their nesting.
struct BERWalk {
    /// The maximum size of a file in bytes; a trust store of a thousand certificates is smaller than one megabyte.
    static let maximumByteCount = 8 << 20
    static let maximumDepth = 40
    static let maximumElementCount = 200_000

    private struct Level {
        let end: Int
        let isIndefinite: Bool
    }

    private let bytes: ArraySlice<UInt8>
    private let part: IdentityError.Part
    private var index: Int
    private var levels: [Level] = []
    private var elements = 0

    /// Checks that the bytes are exactly one BER element.
    static func check(_ bytes: ArraySlice<UInt8>, as part: IdentityError.Part) throws(IdentityError) {
        var walk = Self(bytes: bytes, part: part)
        repeat { try walk.step() } while !walk.levels.isEmpty
        guard walk.index == bytes.endIndex else { throw walk.malformed }
    }

    private init(bytes: ArraySlice<UInt8>, part: IdentityError.Part) {
        self.bytes = bytes
        self.part = part
        index = bytes.startIndex
    }

    private var malformed: IdentityError { .malformed(part, offset: index - bytes.startIndex) }

    private mutating func step() throws(IdentityError) {
        guard let level = levels.last else { return try element(before: bytes.endIndex) }
        if level.isIndefinite, level.end - index >= 2, bytes[index] == 0, bytes[index + 1] == 0 {
            index += 2
            levels.removeLast()
        } else if !level.isIndefinite, index == level.end {
            levels.removeLast()
        } else {
            try element(before: level.end)
        }
    }

    private mutating func element(before end: Int) throws(IdentityError) {
        elements += 1
        guard elements <= Self.maximumElementCount else { throw .tooLarge(.elements, limit: Self.maximumElementCount) }
        let isConstructed = try identifier(before: end)
        guard let length = try length(before: end) else {
            guard isConstructed else { throw malformed }
            return try open(Level(end: end, isIndefinite: true))
        }
        if isConstructed {
            try open(Level(end: index + length, isIndefinite: false))
        } else {
            index += length
        }
    }

    private mutating func open(_ level: Level) throws(IdentityError) {
        guard levels.count < Self.maximumDepth else { throw .tooLarge(.nesting, limit: Self.maximumDepth) }
        levels.append(level)
    }

    /// Reads the identifier octets, and returns whether the element is constructed.
    private mutating func identifier(before end: Int) throws(IdentityError) -> Bool {
        let first = try byte(before: end)
        guard first != 0 else { throw malformed }
        if first & 0x1f == 0x1f {
            let start = index
            while try byte(before: end) & 0x80 != 0 {
                guard index - start < 4 else { throw malformed }
            }
        }
        return first & 0x20 != 0
    }

    /// Reads the length octets; `nil` means the indefinite form.
    private mutating func length(before end: Int) throws(IdentityError) -> Int? {
        let first = try byte(before: end)
        guard first != 0x80 else { return nil }
        var length = UInt64(first)
        if first > 0x80 {
            guard first & 0x7f <= 8 else { throw malformed }
            length = 0
            for _ in 0..<(first & 0x7f) { length = length << 8 | UInt64(try byte(before: end)) }
        }
        guard length <= UInt64(end - index) else { throw malformed }
        return Int(length)
    }

    private mutating func byte(before end: Int) throws(IdentityError) -> UInt8 {
        guard index < end else { throw malformed }
        defer { index += 1 }
        return bytes[index]
    }
}
