// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import POSIX

/// The head of a response: status line and header fields (RFC 9112 section 4).
struct ResponseHead: Hashable, Sendable {
    let minorVersion: Int
    let status: Int
    let reason: String
    let fields: HTTPFields
}

/// A reader of the response heads of a connection.
///
/// Most lines of a head equal those of the previous head. They are only compared, and not parsed again.
struct ResponseHeadReader {
    private typealias Line = UnsafeRawBufferPointer

    /// The maximum size of a head that is stored for the comparison with the next one, in bytes.
    private static let maximumStoredHeadSize = 4 * 1024

    /// The lines of the last head, and their parsed values.
    private struct Last {
        var statusLine: [UInt8]?
        var status = (minorVersion: 0, code: 0, reason: "")
        var lines: [[UInt8]] = []
        var fields = HTTPFields()
    }

    private var last = Last()

    /// Reads a head, including the empty line at its end.
    ///
    /// A CR without LF is always rejected: readers disagree on whether it ends a line (RFC 9112 section 2.2).
    mutating func read(
        _ bytes: UnsafeRawBufferPointer, _ lineTerminator: HeadLineTerminator
    ) throws(ResponseSyntaxError) -> ResponseHead {
        defer { if bytes.count > Self.maximumStoredHeadSize { last = Last() } }
        var lines = Lines(rest: bytes, lineTerminator: lineTerminator)
        let line = try lines.next(or: .statusLine)
        if !(last.statusLine.map(line.isEqual) ?? false) {
            last.status = try Self.status(line)
            last.statusLine = Array(line)
        }
        let (minorVersion, code, reason) = last.status
        return ResponseHead(
            minorVersion: minorVersion, status: code, reason: reason,
            fields: try readFields(of: &lines, unfolding: true))
    }

    /// Checks the fields of a trailer, and drops them; a folded line is rejected.
    static func checkTrailer(_ bytes: UnsafeRawBufferPointer) throws(ResponseSyntaxError) {
        var lines = Lines(rest: bytes, lineTerminator: .carriageReturnLineFeed)
        var reader = Self()
        do {
            _ = try reader.readFields(of: &lines, unfolding: false)
        } catch .malformed(.bareLineFeed) {
            throw .malformed(.bareLineFeedInChunk)
        }
    }

    private mutating func readFields(
        of lines: inout Lines, unfolding: Bool
    ) throws(ResponseSyntaxError) -> HTTPFields {
        var count = 0
        while true {
            let line = try lines.next(or: .headerField)
            if line.isEmpty { break }
            guard count < HeadLimit.fieldCount else { throw .tooManyFields }
            if unfolding, lines.isContinuation {
                try lines.unfold(line).withUnsafeBufferPointer { bytes throws(ResponseSyntaxError) in
                    try readField(Line(bytes), at: count)
                }
            } else {
                try readField(line, at: count)
            }
            count += 1
        }
        last.fields.removeSubrange(count...)
        last.lines.removeSubrange(count...)
        return last.fields
    }

    private mutating func readField(_ line: Line, at index: Int) throws(ResponseSyntaxError) {
        if index == last.lines.count {
            last.fields.append(try Self.field(line))
            last.lines.append(Array(line))
        } else if !line.isEqual(to: last.lines[index]) {
            last.fields[index] = try Self.field(line)
            last.lines[index] = Array(line)
        }
    }

    /// The lines up to the first empty one.
    private struct Lines {
        var rest: UnsafeRawBufferPointer
        let lineTerminator: HeadLineTerminator

        mutating func next(or error: MalformedResponse) throws(ResponseSyntaxError) -> Line {
            guard let end = rest.firstIndex(of: .lineFeed, from: 0) else { throw .malformed(error) }
            defer { rest = Line(rebasing: rest[(end + 1)...]) }
            if end > 0, rest[end - 1] == .carriageReturn { return Line(rebasing: rest[..<(end - 1)]) }
            guard lineTerminator == .lineFeed else { throw .malformed(.bareLineFeed) }
            return Line(rebasing: rest[..<end])
        }

        /// Whether the next line continues the previous one.
        var isContinuation: Bool { rest.first?.isBlank == true }

        /// Returns a line and its continuation lines, joined by one space each (RFC 9112 section 5.2).
        mutating func unfold(_ line: Line) throws(ResponseSyntaxError) -> [UInt8] {
            var joined = Array(line)
            while isContinuation {
                let continuation = try next(or: .headerField)
                while joined.last?.isBlank == true { joined.removeLast() }
                joined.append(.space)
                joined += continuation.drop(while: \.isBlank)
            }
            return joined
        }
    }

    /// Parses a status line such as `HTTP/1.1 200 OK`; some servers that send no reason omit the space before it too.
    private static func status(
        _ line: Line
    ) throws(ResponseSyntaxError) -> (minorVersion: Int, code: Int, reason: String) {
        let (version, code, rest) = (line.prefix(8), line.dropFirst(9).prefix(3), line.dropFirst(12))
        guard code.count == 3, version.starts(with: "HTTP/1.".utf8), let minor = version.last.flatMap(decimal),
            line[version.endIndex] == .space, rest.isEmpty || rest.first == .space,
            let status = HTTPResponse.Status.code(code)
        else { throw .malformed(.statusLine) }
        let reason = rest.dropFirst()
        guard reason.allSatisfy(\.isReasonContent) else { throw .malformed(.statusLine) }
        return (minor, status, String(decoding: reason, as: UTF8.self))
    }

    /// Parses a field; a space before the name or the colon is rejected (RFC 9112 sections 2.2 and 5.1).
    private static func field(_ line: Line) throws(ResponseSyntaxError) -> HTTPField {
        guard let colon = line.firstIndex(of: .colon, from: 0), colon > 0,
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        else { throw .malformed(.headerField) }
        var value = line[(colon + 1)...].drop(while: \.isBlank)
        while value.last?.isBlank == true { value.removeLast() }
        guard value.allSatisfy(\.isRetained) else { throw .malformed(.headerField) }
        // A value that is not ASCII keeps its bytes.
        guard value.allSatisfy({ $0 < 0x80 }) else { return HTTPField(name: name, value: value) }
        return HTTPField(name: name, value: String(decoding: value, as: UTF8.self))
    }

    private static func decimal(_ byte: UInt8) -> Int? {
        (0x30...0x39).contains(byte) ? Int(byte) - 0x30 : nil
    }
}

extension UInt8 {
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    fileprivate static let space: UInt8 = 0x20
    fileprivate static let colon: UInt8 = 0x3A

    var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// Whether the byte is allowed in a reason phrase: no control character except the tab (RFC 9112 section 4).
    fileprivate var isReasonContent: Bool { self == 0x09 || self >= 0x20 && self != 0x7F }

    /// Whether the byte may stand in a field value; control characters other than these three may be retained (RFC 9110
    /// section 5.5).
    fileprivate var isRetained: Bool { self != 0x00 && self != .lineFeed && self != .carriageReturn }
}

extension UnsafeRawBufferPointer {
    /// Returns the first index of a byte at or after an offset.
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        guard start < count, let base = baseAddress, let found = memchr(base + start, Int32(byte), count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }

    /// Returns whether the bytes are equal.
    func isEqual(to other: some Collection<UInt8>) -> Bool {
        guard count == other.count else { return false }
        let isEqual = other.withContiguousStorageIfAvailable { other in
            guard let base = baseAddress, let otherBase = other.baseAddress else { return true }
            return memcmp(base, otherBase, count) == 0
        }
        return isEqual ?? elementsEqual(other)
    }
}

/// The accepted line terminators of a response head (RFC 9112 section 2.2).
///
/// Chunk sizes and trailers always end in CR LF, because they determine the end of a message: if two readers disagree
/// about it, one of them reads one message as two.
package enum HeadLineTerminator: Hashable, Sendable {
    /// CR LF only.
    case carriageReturnLineFeed
    /// CR LF or LF, even mixed, because on some devices the server and its scripts use different terminators.
    case lineFeed
}
