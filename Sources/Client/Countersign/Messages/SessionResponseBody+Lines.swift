// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation
import NIOCore

extension SessionResponseBody {
    /// The lines of the body, as they arrive; a line has at most ``defaultLimit`` bytes.
    public var lines: Lines { lines(upTo: Self.defaultLimit) }

    /// Returns the lines of the body, as they arrive.
    ///
    /// - Parameter limit: The largest line that is read, in bytes. A longer one is an error.
    /// - Returns: The lines, which can be read once.
    public func lines(upTo limit: Int) -> Lines { Lines(body: self, limit: limit) }

    /// The lines of a body.
    ///
    /// A line ends in LF, CR or CR LF, and the last one may have no terminator. Blank lines are delivered too. The text
    /// is UTF-8; invalid bytes are replaced by U+FFFD.
    ///
    /// The session reads from the server no faster than the caller reads the lines. Dropping the iterator before the
    /// end ends the request.
    public struct Lines: AsyncSequence, Sendable {
        fileprivate let body: SessionResponseBody
        fileprivate let limit: Int

        /// An iterator over the lines of a body.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var lines: LineReader

            /// Returns the next line without its terminator; `nil` at the end of the body.
            ///
            /// - Throws: ``SessionError`` of ``LimitError/lineTooLong(_:limit:)``, and any error that
            ///   ``SessionResponseBody/AsyncIterator/next()`` throws.
            public mutating func next() async throws -> String? {
                try await lines.next().map { String(buffer: $0) }
            }
        }

        /// Makes the only iterator of the lines, which can be read only once.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(lines: LineReader(body, limit: limit)) }
    }
}

extension SessionResponseBody {
    /// Returns the values of the body, one in each line, as they arrive (NDJSON, also called JSON Lines).
    ///
    /// - Parameters:
    ///   - type: The type of the values to read.
    ///   - limit: The largest line that is read, in bytes. A longer one is an error.
    ///   - decoder: The decoder, which determines how dates and keys are read.
    /// - Returns: The values, which can be read once.
    public func jsonLines<Value: Decodable>(
        as type: Value.Type, upTo limit: Int = SessionResponseBody.defaultLimit, decoder: JSONDecoder = JSONDecoder()
    ) -> JSONLines<Value> {
        JSONLines(body: self, limit: limit, decoder: decoder)
    }

    /// The values of a body with one JSON value (RFC 8259) in each line.
    ///
    /// Lines are divided as those of ``SessionResponseBody/Lines``; blank ones are skipped.
    public struct JSONLines<Value: Decodable>: AsyncSequence, Sendable {
        fileprivate let body: SessionResponseBody
        fileprivate let limit: Int
        fileprivate let decoder: JSONDecoder

        /// An iterator over the values of a body.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var lines: LineReader
            fileprivate let decoder: JSONDecoder

            /// Returns the next value; `nil` at the end of the body.
            ///
            /// - Throws: ``SessionError`` of ``BodyError/undecodableLine(_:as:_:)`` or
            ///   ``LimitError/lineTooLong(_:limit:)``, and any error that ``SessionResponseBody/AsyncIterator/next()`` throws.
            public mutating func next() async throws -> Value? {
                while let line = try await lines.next()?.readableBytesView {
                    if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) { continue }
                    do {
                        return try decoder.decode(Value.self, from: Data(line))
                    } catch {
                        lines.abandon()
                        throw SessionError.body(.undecodableLine(lines.count, as: "\(Value.self)", error))
                    }
                }
                return nil
            }
        }

        /// Makes the only iterator of the values, which can be read only once.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(lines: LineReader(body, limit: limit), decoder: decoder)
        }
    }
}
