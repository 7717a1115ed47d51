// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes

/// What stands before the body of a response (RFC 9112 section 4).
struct ResponseHead: Hashable, Sendable {
    let minorVersion: Int
    let status: Int
    let reason: String
    let fields: HTTPFields

    /// How many fields a head or a trailer may have.
    private static let fieldLimit = 1_000

    /// Reads a head, the empty line at its end included.
    ///
    /// A CR that no LF follows is refused in any case: readers disagree on whether it ends a line (RFC 9112 section 2.2).
    init(_ bytes: UnsafeRawBufferPointer, _ lineEnding: HeadLineEnding) throws(ResponseSyntaxError) {
        var lines = Lines(bytes, lineEnding)
        let line = try lines.next(or: .statusLine)
        (minorVersion, status, reason) = try Self.statusLine(line)
        fields = try Self.fields(of: &lines)
    }

    /// Reads fields alone, such as a trailer has, and drops them.
    static func checkTrailer(_ bytes: UnsafeRawBufferPointer) throws(ResponseSyntaxError) {
        var lines = Lines(bytes, .carriageReturnLineFeed)
        do {
            _ = try fields(of: &lines)
        } catch .malformed(.bareLineFeed) {
            throw .malformed(.bareLineFeedInChunk)
        }
    }

    // MARK: Reading

    private typealias Line = Slice<UnsafeRawBufferPointer>

    /// Lines up to the first empty one.
    private struct Lines {
        private var rest: Line
        private let lineEnding: HeadLineEnding

        init(_ bytes: UnsafeRawBufferPointer, _ lineEnding: HeadLineEnding) {
            (rest, self.lineEnding) = (bytes[...], lineEnding)
        }

        mutating func next(or error: MalformedResponse) throws(ResponseSyntaxError) -> Line {
            guard let end = rest.firstIndex(of: .lineFeed) else { throw .malformed(error) }
            defer { rest = rest[(end + 1)...] }
            let line = rest[..<end]
            if line.last == .carriageReturn { return line.dropLast() }
            guard lineEnding == .lineFeed else { throw .malformed(.bareLineFeed) }
            return line
        }
    }

    /// `HTTP/1.1 200 OK`; the space before a reason that is not there may be missing, as with some servers.
    private static func statusLine(
        _ line: Line
    ) throws(ResponseSyntaxError) -> (minorVersion: Int, status: Int, reason: String) {
        let (version, code, rest) = (line.prefix(8), line.dropFirst(9).prefix(3), line.dropFirst(12))
        guard code.count == 3, version.starts(with: "HTTP/1.".utf8), let minor = version.last.flatMap(decimal),
            line[version.endIndex] == .space, rest.isEmpty || rest.first == .space,
            let status = HTTPResponse.Status.code(code)
        else { throw .malformed(.statusLine) }
        let reason = rest.dropFirst()
        guard reason.allSatisfy(\.isFieldContent) else { throw .malformed(.statusLine) }
        return (minor, status, String(decoding: reason, as: UTF8.self))
    }

    private static func fields(of lines: inout Lines) throws(ResponseSyntaxError) -> HTTPFields {
        var fields = HTTPFields()
        fields.reserveCapacity(16)
        while true {
            let line = try lines.next(or: .headerField)
            if line.isEmpty { return fields }
            guard fields.count < fieldLimit else { throw .headTooLarge }
            fields.append(try field(line))
        }
    }

    /// Neither a folded line nor a space before the colon is taken (RFC 9112 sections 5.1 and 5.2).
    private static func field(_ line: Line) throws(ResponseSyntaxError) -> HTTPField {
        guard let colon = line.firstIndex(of: .colon), colon > line.startIndex,
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        else { throw .malformed(.headerField) }
        var value = line[(colon + 1)...].drop(while: \.isBlank)
        while value.last?.isBlank == true { value.removeLast() }
        guard value.allSatisfy(\.isFieldContent) else { throw .malformed(.headerField) }
        // Bytes that are no text stay what they are.
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

    /// RFC 9110 section 5.5: no control character but the tab.
    fileprivate var isFieldContent: Bool { self == 0x09 || self >= 0x20 && self != 0x7F }
}
