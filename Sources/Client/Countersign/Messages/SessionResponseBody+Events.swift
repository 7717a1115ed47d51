// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

extension SessionResponseBody {
    /// The server-sent events of the body, as they arrive; a line and an event have at most ``defaultLimit`` bytes.
    public var events: Events { events(upTo: Self.defaultLimit) }

    /// Returns the server-sent events of the body, as they arrive.
    ///
    /// - Parameter limit: The largest line and the largest data of an event that are read, in bytes. Larger ones are
    ///   errors.
    /// - Returns: The events, which can be read once.
    public func events(upTo limit: Int) -> Events { Events(body: self, limit: limit) }

    /// A server-sent event (HTML, section 9.2).
    public struct Event: Hashable, Sendable {
        /// The type, from the field `event`; `message` if the event has none.
        public let type: String
        /// The values of the fields `data`, joined by LF.
        public let data: String
        /// The last ID that the stream has sent; `nil` if it has sent none.
        ///
        /// An ID applies to all later events, until the stream sends another one. An empty ID resets it.
        public let lastEventID: String?
    }

    /// The server-sent events of a body (HTML, section 9.2).
    ///
    /// An incomplete event at the end of the body is discarded. A new request for the events after the last one is the
    /// caller's task: ``SessionRequest/eventStream(after:)`` makes it.
    ///
    /// The text is UTF-8; invalid bytes are replaced by U+FFFD. The sequence does not check the response: a body of
    /// another media type can look like a stream without events.
    ///
    /// The session reads from the server no faster than the caller reads the events. Dropping the iterator before the
    /// end ends the request.
    public struct Events: AsyncSequence, Sendable {
        fileprivate let body: SessionResponseBody
        fileprivate let limit: Int

        /// An iterator over the events of a body.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var lines: LineReader
            fileprivate var parser: EventParser

            /// The last ID that the stream has sent, also with an event without data; `nil` if it has sent none.
            public var lastEventID: String? { parser.lastEventID }

            /// The time to wait before the next request, from the field `retry`; `nil` if the stream has sent none.
            ///
            /// The server chooses it, and may choose a very long time.
            public var reconnectionTime: Duration? { parser.reconnectionTime }

            /// Returns the next event; `nil` at the end of the body.
            ///
            /// - Throws: ``SessionError`` of ``LimitError/lineTooLong(_:limit:)`` or
            ///   ``LimitError/eventTooLarge(limit:)``, and any error that ``SessionResponseBody/AsyncIterator/next()`` throws.
            public mutating func next() async throws -> Event? {
                // A line without a terminator may be incomplete.
                while let line = try await lines.next(), !lines.isFinished {
                    do {
                        if let event = try parser.receive(line) { return event }
                    } catch {
                        lines.abandon()
                        throw error
                    }
                }
                return nil
            }
        }

        /// Makes the only iterator of the events, which can be read only once.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(lines: LineReader(body, limit: limit), parser: EventParser(limit: limit))
        }
    }
}

/// A parser of the lines of an event stream (HTML, section 9.2.6).
struct EventParser {
    /// The maximum size of the data of an event, in bytes.
    let limit: Int
    /// The ID of the last event, as the standard's "last event ID string"; `nil` if the stream has sent none.
    private(set) var lastEventID: String?
    /// The value of the last field `retry`.
    private(set) var reconnectionTime: Duration?

    // The buffers of the standard. The buffer of the ID is not reset after an event.
    private var id: String?
    private var type = ""
    private var data = ByteBuffer()
    private var isFirstLine = true

    init(limit: Int) { self.limit = limit }

    /// Processes a line.
    ///
    /// - Returns: The event that a blank line ends; `nil` for another line, and for an event without data.
    /// - Throws: ``SessionError`` of ``LimitError/eventTooLarge(limit:)``.
    mutating func receive(_ line: ByteBuffer) throws(SessionError) -> SessionResponseBody.Event? {
        var line = line.readableBytesView
        if isFirstLine, line.starts(with: Self.byteOrderMark) { line.removeFirst(Self.byteOrderMark.count) }
        isFirstLine = false
        guard !line.isEmpty else { return dispatch() }
        // The name of a comment is empty, and thus unknown.
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        var value = line.dropFirst(name.count + 1)
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        switch String(decoding: name, as: UTF8.self) {
        case "data":
            guard value.count <= limit - data.readableBytes else { throw .limit(.eventTooLarge(limit: limit)) }
            data.writeBytes(value)
            data.writeInteger(UInt8(ascii: "\n"))
        case "event": type = String(decoding: value, as: UTF8.self)
        case "id" where !value.contains(0): id = String(decoding: value, as: UTF8.self)
        case "retry" where value.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }:
            guard let time = Int(String(decoding: value, as: UTF8.self)) else { break }
            reconnectionTime = .milliseconds(time)
        default: break
        }
        return nil
    }

    private mutating func dispatch() -> SessionResponseBody.Event? {
        lastEventID = id
        defer { (type, data) = ("", ByteBuffer()) }
        guard data.readableBytes > 0 else { return nil }
        return SessionResponseBody.Event(
            type: type.isEmpty ? "message" : type,
            data: String(decoding: data.readableBytesView.dropLast(), as: UTF8.self), lastEventID: lastEventID)
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
}
