// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DequeModule
import NIOCore

/// The carrier of one exchange over one stream (RFC 9113 section 8).
final class HTTP2Stream: ExchangeCarrier {
    /// A part of the request's body that waits for a window or for the connection.
    private struct Part {
        var buffer: ByteBuffer
        let endStream: Bool
        /// The promise that is completed when the part is written.
        let writePromise: EventLoopPromise<Void>?
    }

    let driver: ExchangeDriver
    /// The identifier; `nil` until the stream is opened.
    private(set) var id: HTTP2StreamID?
    /// The handler of the connection; `nil` once the stream has ended.
    private var connection: HTTP2ConnectionHandler?
    private var parts: Deque<Part> = []
    /// The promises of the framed parts that are not written yet.
    private var writePromises: [EventLoopPromise<Void>] = []
    /// The number of response body bytes that arrived while the reader accepted none.
    private var heldBack = 0
    /// Whether parts have arrived since the driver was last notified of a complete read.
    var hasUnreportedParts = false
    /// Whether the stream is queued to send parts of the body.
    var isUploading = false
    /// Whether a part of a body is framed.
    private(set) var hasFramedBody = false
    /// Whether the end of the request is framed.
    private(set) var hasFramedEnd = false

    init(_ connection: HTTP2ConnectionHandler, driver: ExchangeDriver) {
        (self.connection, self.driver) = (connection, driver)
        driver.attach(self)
    }

    var isActive: Bool { connection?.isActive ?? false }
    var hasEnded: Bool { connection == nil }
    var hasParts: Bool { !parts.isEmpty }

    // MARK: The request

    /// Notes that the stream is open and the head of the request is framed.
    func noteOpening(_ id: HTTP2StreamID, _ exchange: HTTPExchange) {
        self.id = id
        if case .complete(let body) = exchange.body {
            if let body, body.readableBytes > 0 {
                parts.append(Part(buffer: body, endStream: true, writePromise: nil))
            } else {
                noteEnd()
                if exchange.limits.response != nil { connection?.notifyWhenWritten(of: self) }
            }
        }
        if hasParts { connection?.noteParts(of: self) }
    }

    func send(_ parts: [ByteBuffer], writePromise: EventLoopPromise<Void>) {
        guard let connection else { return writePromise.fail(ChannelError.ioOnClosedChannel) }
        for part in parts.dropLast() { self.parts.append(Part(buffer: part, endStream: false, writePromise: nil)) }
        self.parts.append(Part(buffer: parts.last ?? ByteBuffer(), endStream: false, writePromise: writePromise))
        connection.noteParts(of: self)
    }

    func sendEnd(writePromise: EventLoopPromise<Void>) {
        guard let connection else { return writePromise.fail(ChannelError.ioOnClosedChannel) }
        parts.append(Part(buffer: ByteBuffer(), endStream: true, writePromise: writePromise))
        connection.noteParts(of: self)
    }

    /// Frames parts of the body, as far as the windows allow.
    ///
    /// - Parameters:
    ///   - machine: The state machine of the connection.
    ///   - limit: The maximum number of bytes to frame.
    /// - Returns: The number of framed bytes; `nil` if the windows are closed.
    func frameParts(into machine: inout HTTP2ConnectionStateMachine, upTo limit: Int) -> Int? {
        guard let id else { return nil }
        var framed = 0
        var hasProgress = false
        while var part = parts.popFirst() {
            let size = part.buffer.readableBytes
            let isComplete = machine.send(&part.buffer, on: id, endStream: part.endStream, upTo: limit - framed)
            framed += size - part.buffer.readableBytes
            hasFramedBody = hasFramedBody || framed > 0
            guard isComplete else {
                parts.prepend(part)
                return framed > 0 || hasProgress ? framed : nil
            }
            hasProgress = true
            if let writePromise = part.writePromise { writePromises.append(writePromise) }
            if part.endStream { noteEnd() }
        }
        return framed
    }

    private func noteEnd() {
        hasFramedEnd = true
        driver.completeUpload()
    }

    /// Returns and removes the promises of the framed parts.
    func takeWritePromises() -> [EventLoopPromise<Void>] {
        defer { writePromises = [] }
        return writePromises
    }

    // MARK: The response

    /// Processes a part of the response, and returns the number of bytes to restore in the stream's window.
    func receive(_ part: ExchangePart, size: Int) -> Int {
        driver.receive(part)
        guard driver.hasCapacity else {
            heldBack += size
            return 0
        }
        return size
    }

    func resumeReading() {
        guard let id, let connection, heldBack > 0 else { return }
        connection.consume(heldBack, on: id)
        heldBack = 0
    }

    // MARK: Closing

    func close() { connection?.remove(self) }

    /// Ends the stream, which the connection has removed.
    func end() {
        connection = nil
        driver.detach()
        for writePromise in parts.compactMap(\.writePromise) + writePromises {
            writePromise.fail(BodyUpload.RespondedEarly())
        }
        (parts, writePromises) = ([], [])
    }
}
