// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// A parser that splits bytes into lines as they arrive; a line ends in LF, CR or CR LF.
///
/// It examines and copies each byte at most once, however small the parts are.
struct LineParser {
    /// The maximum length of a line without its terminator, in bytes.
    let limit: Int
    /// The number of lines so far.
    private(set) var count = 0
    /// The bytes that are not examined yet.
    private var input = ByteBuffer()
    /// The beginning of a line whose end has not arrived.
    private var beginning = ByteBuffer()
    /// Whether the last line ended in CR; an LF directly after it belongs to its terminator.
    private var hasEndedInCarriageReturn = false

    init(limit: Int) { self.limit = limit }

    /// Receives the next part, after ``next()`` has returned `nil`.
    mutating func receive(_ part: ByteBuffer) { input = part }

    /// Returns the next line without its terminator; `nil` if it needs another part.
    ///
    /// A CR ends its line at once. Waiting for an LF after it would delay the last line that a server has sent.
    ///
    /// - Throws: ``SessionError`` of ``LimitError/lineTooLong(_:limit:)``.
    mutating func next() throws(SessionError) -> ByteBuffer? {
        if hasEndedInCarriageReturn, let first = input.readableBytesView.first {
            if first == .lineFeed { input.moveReaderIndex(forwardBy: 1) }
            hasEndedInCarriageReturn = false
        }
        let end = input.withUnsafeReadableBytes { $0.firstIndex { $0 == .lineFeed || $0 == .carriageReturn } }
        let length = end ?? input.readableBytes
        guard length <= limit - beginning.readableBytes else {
            throw .limit(.lineTooLong(count + 1, limit: limit))
        }
        guard var line = input.readSlice(length: length) else { return nil }
        if beginning.readableBytes > 0 || end == nil { beginning.writeBuffer(&line) }
        guard end != nil else { return nil }
        hasEndedInCarriageReturn = input.readInteger(as: UInt8.self) == .carriageReturn
        return finish() ?? counted(line)
    }

    /// Returns a last line without a terminator; `nil` if there is none.
    mutating func finish() -> ByteBuffer? {
        guard beginning.readableBytes > 0 else { return nil }
        defer { beginning = ByteBuffer() }
        return counted(beginning)
    }

    private mutating func counted(_ line: ByteBuffer) -> ByteBuffer {
        count += 1
        return line
    }
}

extension UInt8 {
    fileprivate static let lineFeed: UInt8 = 0x0A
    fileprivate static let carriageReturn: UInt8 = 0x0D
}

/// A reader of the lines of a body.
struct LineReader {
    /// The rest of the body; `nil` after its end, or after an error.
    private var body: SessionResponseBody.AsyncIterator?
    private var parser: LineParser

    init(_ body: SessionResponseBody, limit: Int) {
        (self.body, parser) = (body.makeAsyncIterator(), LineParser(limit: limit))
    }

    /// The number of lines so far.
    var count: Int { parser.count }

    /// Whether the body has ended; the line that was returned last, if any, has no terminator.
    var isFinished: Bool { body == nil }

    /// Returns the next line without its terminator; `nil` at the end of the body.
    ///
    /// - Throws: ``SessionError`` of ``LimitError/lineTooLong(_:limit:)``, and any error of the body.
    mutating func next() async throws -> ByteBuffer? {
        do {
            while body != nil {
                if let line = try parser.next() { return line }
                guard let part = try await body?.next() else {
                    abandon()
                    return parser.finish()
                }
                parser.receive(part)
            }
            return nil
        } catch {
            abandon()
            throw error
        }
    }

    /// Drops the rest of the body.
    mutating func abandon() { body = nil }
}
