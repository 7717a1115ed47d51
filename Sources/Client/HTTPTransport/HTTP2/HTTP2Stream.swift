// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DequeModule
import NIOCore

/// Carries one exchange over one stream (RFC 9113 section 8).
final class HTTP2Stream: ExchangeCarrier {
    /// A part of the request's body that a window or the connection holds back.
    private struct Part {
        var buffer: ByteBuffer
        let endStream: Bool
        /// Completed when the part has left.
        let departure: EventLoopPromise<Void>?
    }

    let driver: ExchangeDriver
    /// `nil` until the stream is opened.
    private(set) var id: HTTP2StreamID?
    /// `nil` once the stream has ended.
    private var connection: HTTP2ConnectionHandler?
    private var parts: Deque<Part> = []
    /// What is completed when the connection has taken the bytes that were framed.
    private var departures: [EventLoopPromise<Void>] = []
    /// How much of the response's body has come since its reader had no room, in bytes.
    private var heldBack = 0
    /// Whether something has arrived since the driver was told last that this is all.
    var hasNews = false
    /// Whether the stream awaits its turn to send parts of the body.
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

    /// The stream is open and the head of the request is framed.
    func noteOpening(_ id: HTTP2StreamID, _ exchange: HTTPExchange) {
        self.id = id
        if case .whole(let body) = exchange.body {
            if let body, body.readableBytes > 0 {
                parts.append(Part(buffer: body, endStream: true, departure: nil))
            } else {
                noteEnd()
                if exchange.limits.response != nil { connection?.awaitDeparture(of: self) }
            }
        }
        if hasParts { connection?.noteParts(of: self) }
    }

    func send(_ parts: [ByteBuffer], departure: EventLoopPromise<Void>) {
        guard let connection else { return departure.fail(ChannelError.ioOnClosedChannel) }
        for part in parts.dropLast() { self.parts.append(Part(buffer: part, endStream: false, departure: nil)) }
        self.parts.append(Part(buffer: parts.last ?? ByteBuffer(), endStream: false, departure: departure))
        connection.noteParts(of: self)
    }

    func sendEnd(departure: EventLoopPromise<Void>) {
        guard let connection else { return departure.fail(ChannelError.ioOnClosedChannel) }
        parts.append(Part(buffer: ByteBuffer(), endStream: true, departure: departure))
        connection.noteParts(of: self)
    }

    /// Frames parts of the body, as far as the windows allow.
    ///
    /// - Parameters:
    ///   - machine: The connection's.
    ///   - limit: The most to frame, in bytes.
    /// - Returns: How many bytes were framed; `nil` where the windows let nothing through.
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
            if let departure = part.departure { departures.append(departure) }
            if part.endStream { noteEnd() }
        }
        return framed
    }

    private func noteEnd() {
        hasFramedEnd = true
        driver.completeUpload()
    }

    /// Takes what is completed when the bytes that are framed now have left.
    func takeDepartures() -> [EventLoopPromise<Void>] {
        defer { departures = [] }
        return departures
    }

    // MARK: The response

    /// Takes a part of the response, and says how much of the stream's window can be given back, in bytes.
    func receive(_ part: ExchangePart, size: Int) -> Int {
        driver.receive(part)
        guard driver.hasRoom else {
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

    // MARK: The end

    func close() { connection?.remove(self) }

    func hangUp() { connection?.remove(self) }

    /// The connection has forgotten the stream.
    func end() {
        connection = nil
        driver.detach()
        for departure in parts.compactMap(\.departure) + departures { departure.fail(BodyUpload.RespondedEarly()) }
        (parts, departures) = ([], [])
    }
}
