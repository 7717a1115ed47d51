// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import HTTPTypes
package import NIOCore
import NIOHPACK

/// The client side of an HTTP/2 connection (RFC 9113): it takes the server's bytes, and returns events and bytes for
/// the server.
package struct HTTP2ConnectionStateMachine {
    /// The stream limit until the server's SETTINGS arrive; RFC 9113 section 6.5.2 recommends a limit of at least 100
    /// to servers.
    static let defaultStreamLimit = 100

    /// An event from the server.
    package enum Event: Equatable {
        /// An interim response (1xx) has arrived on a stream.
        case information(HTTP2StreamID, HTTPResponse.Status)
        /// The head of the final response has arrived on a stream.
        case head(HTTP2StreamID, HTTPResponse, endStream: Bool)
        /// A part of the body has arrived on a stream.
        case data(HTTP2StreamID, ByteBuffer, endStream: Bool)
        /// The trailers, which end the response, have arrived on a stream.
        case trailers(HTTP2StreamID)
        /// A stream has ended with an error.
        case streamFailed(HTTP2StreamID, HTTP2StreamError)
        /// The stream limit or the windows may have changed.
        case settings
        /// A window has grown, so that more may be sent.
        case windowUpdate
        /// No further stream may be opened (RFC 9113 section 6.8). Holds the streams that the server did not process,
        /// and its reason.
        case goAway(notProcessed: [HTTP2StreamID], GoAway)
    }

    private enum Phase {
        case awaitingSettings
        case open
        /// The server accepts no new stream.
        case draining
        case failed
    }

    private var phase = Phase.awaitingSettings
    private var decoder: HTTP2FrameDecoder
    private var encoder = HTTP2FrameEncoder()
    private(set) var streams: [HTTP2StreamID: HTTP2StreamState] = [:]
    private var heads = HTTP2HeadReader()
    private var nextStreamID: HTTP2StreamID
    /// The connection's flow-control window for sending.
    private var sendWindow = HTTP2Window.Sending()
    /// The initial window size of a new stream, set by the server, in bytes.
    private(set) var initialSendWindow = HTTP2Window.initial
    private var receiveWindow = HTTP2Window.Receiving(HTTP2Window.connectionSize)
    private(set) var streamLimit = Self.defaultStreamLimit
    private var flood = HTTP2FloodGuard()

    /// Makes a state machine, and writes the connection preface (RFC 9113 section 3.4).
    ///
    /// - Parameters:
    ///   - headLimit: The maximum size of an accepted header list, in bytes.
    ///   - firstStreamID: The identifier of the first stream, which is odd.
    package init(headLimit: Int = HeadLimit.size, firstStreamID: HTTP2StreamID = 1) {
        decoder = HTTP2FrameDecoder(headLimit: headLimit)
        nextStreamID = firstStreamID
        encoder.preface(
            settings: [(0x2, 0), (0x4, HTTP2Window.streamSize), (0x6, headLimit)],
            connectionWindow: HTTP2Window.connectionSize)
    }

    // MARK: Requests

    /// Whether no further stream can be opened: the server accepts none, or the identifiers are used up (RFC 9113
    /// section 5.1.1).
    var isDraining: Bool { phase == .draining || phase == .failed || nextStreamID > HTTP2Frame.maxStreamID }

    /// Whether a stream can be opened now.
    package var canOpenStream: Bool { !isDraining && streams.count < streamLimit }

    /// Sends the head of a request on a new stream.
    ///
    /// Call it only while ``canOpenStream`` is `true`.
    ///
    /// - Throws: ``HTTP2ConnectionError`` if the head cannot be encoded.
    package mutating func open(_ request: HTTPRequest, endStream: Bool) throws(HTTP2ConnectionError) -> HTTP2StreamID {
        let id = nextStreamID
        try encoder.headers(id, request, endStream: endStream)
        streams[id] = HTTP2StreamState(
            sendWindow: .init(initialSendWindow), isLocallyClosed: endStream, isHead: request.method == .head)
        nextStreamID += 2
        flood.noteProgress()
        return id
    }

    /// Sends as much of a body as the windows allow (RFC 9113 section 6.9).
    ///
    /// - Parameters:
    ///   - part: The part to send; the bytes that were sent are removed from it.
    ///   - id: The stream of the request.
    ///   - endStream: Whether the body ends with the part.
    ///   - limit: The maximum number of bytes to send now.
    /// - Returns: Whether the part was sent completely.
    package mutating func send(
        _ part: inout ByteBuffer, on id: HTTP2StreamID, endStream: Bool, upTo limit: Int = .max
    ) -> Bool {
        guard let index = streams.index(forKey: id), !streams.values[index].isLocallyClosed else { return true }
        var left = limit
        while part.readableBytes > 0 {
            let size = min(
                part.readableBytes, left, sendWindow.size, streams.values[index].sendWindow.size, encoder.maxFrameSize)
            guard size > 0, let piece = part.readSlice(length: size) else { return false }
            let isLast = endStream && part.readableBytes == 0
            encoder.data(id, piece, endStream: isLast)
            sendWindow.use(size)
            streams.values[index].sendWindow.use(size)
            left -= size
            flood.noteProgress()
            if isLast { return closeLocally(index) }
        }
        guard endStream else { return true }
        encoder.data(id, ByteBuffer(), endStream: true)
        return closeLocally(index)
    }

    private mutating func closeLocally(_ index: Dictionary<HTTP2StreamID, HTTP2StreamState>.Index) -> Bool {
        streams.values[index].isLocallyClosed = true
        return true
    }

    /// Resets a stream that is open on either side; an ended stream is not changed.
    package mutating func reset(_ id: HTTP2StreamID, _ code: HTTP2ErrorCode) {
        guard let stream = streams.removeValue(forKey: id) else { return }
        // The server may use up the window before it receives the reset.
        flood.expectLateData(stream.receiveWindow.size)
        encoder.reset(id, code)
    }

    // MARK: The connection

    /// The size of the largest flow-control window, in bytes.
    package var largestWindow: Int {
        let largestStreamWindow = streams.values.lazy.map { max($0.sendWindow.size, $0.receiveWindow.size) }.max() ?? 0
        return max(sendWindow.size, receiveWindow.size, largestStreamWindow)
    }

    /// The number of open streams.
    package var streamCount: Int { streams.count }

    /// The number of bytes from the server that wait for the rest of a frame or of a header block.
    package var bufferedSize: Int { decoder.bufferedSize }

    mutating func ping() { encoder.ping(0, isAcknowledgement: false) }

    /// Enlarges a stream's window by the bytes that the reader of its body has taken (RFC 9113 section 6.9).
    package mutating func consume(_ size: Int, on id: HTTP2StreamID) {
        // Changing an optional in place would cost three allocations (Swift 6.3).
        guard let index = streams.index(forKey: id),
            let increment = streams.values[index].receiveWindow.consume(size)
        else { return }
        encoder.windowUpdate(id, increment: increment)
    }

    /// Ends the connection, and reads no further input.
    mutating func close(_ code: HTTP2ErrorCode) {
        guard phase != .failed else { return }
        phase = .failed
        encoder.goAway(code)
    }

    /// Returns and removes the bytes for the server; `nil` if there are none.
    package mutating func takeOutbound() -> ByteBuffer? {
        flood.noteWritten()
        return encoder.take()
    }

    mutating func recycle(_ buffer: consuming ByteBuffer) { encoder.recycle(buffer) }

    // MARK: Receiving

    /// Appends received bytes.
    package mutating func receive(_ bytes: ByteBuffer) {
        if phase != .failed { decoder.append(bytes) }
    }

    /// Returns the next event of the received bytes; `nil` if more bytes are needed.
    ///
    /// - Throws: ``HTTP2ConnectionError``, which ends the connection. Except after ``HTTP2ConnectionError/notHTTP2``,
    ///   GOAWAY has been written.
    package mutating func next() throws(HTTP2ConnectionError) -> Event? {
        guard phase != .failed else { return nil }
        do throws(HTTP2ConnectionError) {
            if phase == .awaitingSettings, let first = decoder.firstByte, first != 0 {
                // The first frame must be SETTINGS, and its length is below 2^16 (RFC 9113 section 3.4).
                throw .notHTTP2
            }
            while let (frame, size) = try decoder.next() {
                if let event = try receive(frame, size: size) { return event }
            }
            return nil
        } catch {
            switch error {
            case .violation(let code): close(code)
            case .headTooLarge: close(.enhanceYourCalm)
            case .notHTTP2: phase = .failed
            }
            throw error
        }
    }

    private mutating func receive(_ frame: HTTP2Frame, size: Int) throws(HTTP2ConnectionError) -> Event? {
        if phase == .awaitingSettings {
            guard case .settings = frame else { throw .violation(.protocolError) }
            phase = .open
        }
        switch frame {
        case .data(let id, let data, let size, let endStream):
            return try receive(data, size: size, on: id, endStream: endStream)
        case .headers(let id, let headers, let endStream):
            return try receive(headers, size: size, on: id, endStream: endStream)
        case .reset(let id, let code):
            return try receiveReset(of: id, code)
        case .settings(let settings):
            try flood.noteSurplus(size)
            try apply(settings)
            return .settings
        case .ping(let data):
            try flood.noteSurplus(size)
            try flood.noteAnswer(size)
            encoder.ping(data, isAcknowledgement: true)
            return nil
        case .goAway(let last, let reason):
            try flood.noteSurplus(size)
            return drain(after: last, reason)
        case .windowUpdate(let id, let increment):
            try flood.noteSurplus(size)
            return try id == 0 ? openWindow(by: increment) : openWindow(by: increment, on: id)
        case .priority, .settingsAcknowledgement, .pingAcknowledgement, .ignored:
            try flood.noteSurplus(size)
            return nil
        }
    }

    // MARK: Responses

    /// Returns the index of a stream's state; `nil` if the stream has ended.
    ///
    /// - Throws: An error if the stream is idle, because the client has never opened it (RFC 9113 section 5.1).
    private func index(
        of id: HTTP2StreamID
    ) throws(HTTP2ConnectionError) -> Dictionary<HTTP2StreamID, HTTP2StreamState>.Index? {
        if let index = streams.index(forKey: id) { return index }
        guard !id.isMultiple(of: 2), id < nextStreamID else { throw .violation(.protocolError) }
        return nil
    }

    private mutating func receive(
        _ data: ByteBuffer, size: Int, on id: HTTP2StreamID, endStream: Bool
    ) throws(HTTP2ConnectionError) -> Event? {
        try useWindow(size)
        guard let index = try index(of: id) else {
            try flood.noteSurplus(0)
            try flood.noteLateData(size)
            return nil
        }
        guard streams.values[index].receiveWindow.use(size) else { throw .violation(.flowControlError) }
        do throws(HTTP2StreamError) {
            try streams.values[index].receiveData(data.readableBytes, endStream: endStream)
        } catch {
            return fail(id, error)
        }
        if endStream {
            closeRemotely(id)
        } else {
            consume(size - data.readableBytes, on: id)
        }
        guard data.readableBytes > 0 || endStream else {
            try flood.noteSurplus(size)
            return nil
        }
        flood.noteProgress()
        return .data(id, data, endStream: endStream)
    }

    /// Counts DATA against the connection's window, and restores it at once:
    /// an unread body does not block other streams.
    private mutating func useWindow(_ size: Int) throws(HTTP2ConnectionError) {
        guard receiveWindow.use(size) else { throw .violation(.flowControlError) }
        if let increment = receiveWindow.consume(size) { encoder.windowUpdate(0, increment: increment) }
    }

    private mutating func receive(
        _ headers: HPACKHeaders, size: Int, on id: HTTP2StreamID, endStream: Bool
    ) throws(HTTP2ConnectionError) -> Event? {
        guard let index = try index(of: id) else {
            try flood.noteSurplus(size)
            return nil
        }
        do throws(HTTP2StreamError) {
            let head = try streams.values[index].receive(headers, endStream: endStream, reader: &heads)
            flood.noteProgress()
            if endStream { closeRemotely(id) }
            return switch head {
            case .information(let status): .information(id, status)
            case .response(let response): .head(id, response, endStream: endStream)
            case .trailers: .trailers(id)
            }
        } catch {
            return fail(id, error)
        }
    }

    /// Closes the server's side of a stream after a complete response;
    /// the stream continues if the request is incomplete.
    private mutating func closeRemotely(_ id: HTTP2StreamID) {
        if streams[id]?.isLocallyClosed == true { streams[id] = nil }
    }

    private mutating func fail(
        _ id: HTTP2StreamID, _ error: HTTP2StreamError, _ code: HTTP2ErrorCode = .protocolError
    ) -> Event {
        reset(id, code)
        return .streamFailed(id, error)
    }

    private mutating func receiveReset(
        of id: HTTP2StreamID, _ code: HTTP2ErrorCode
    ) throws(HTTP2ConnectionError) -> Event? {
        try flood.noteSurplus(4)
        guard try index(of: id) != nil else { return nil }
        streams[id] = nil
        return .streamFailed(id, .reset(StreamReset(code: code.rawValue)))
    }

    // MARK: The connection

    private mutating func apply(_ settings: HTTP2Settings) throws(HTTP2ConnectionError) {
        if let limit = settings.maxConcurrentStreams { streamLimit = limit }
        if let size = settings.maxFrameSize { encoder.maxFrameSize = size }
        if let size = settings.minimumHeaderTableSize { try encoder.setHeaderTableSize(size) }
        if let size = settings.headerTableSize { try encoder.setHeaderTableSize(size) }
        if let size = settings.initialWindowSize {
            let change = size - initialSendWindow
            initialSendWindow = size
            for id in streams.keys {
                guard streams[id]?.sendWindow.open(by: change) == true else { throw .violation(.flowControlError) }
            }
        }
        try flood.noteAnswer(0)
        encoder.settingsAcknowledgement()
    }

    private mutating func openWindow(by increment: Int) throws(HTTP2ConnectionError) -> Event {
        guard increment > 0 else { throw .violation(.protocolError) }
        guard sendWindow.open(by: increment) else { throw .violation(.flowControlError) }
        return .windowUpdate
    }

    private mutating func openWindow(
        by increment: Int, on id: HTTP2StreamID
    ) throws(HTTP2ConnectionError) -> Event? {
        guard let index = try index(of: id) else { return nil }
        guard increment > 0 else { return fail(id, .malformed) }
        // The stream needs no window, because the request was sent completely.
        guard !streams.values[index].isLocallyClosed else { return nil }
        guard streams.values[index].sendWindow.open(by: increment) else {
            return fail(id, .malformed, .flowControlError)
        }
        return .windowUpdate
    }

    /// Processes a GOAWAY; a second one must not name a later stream than the first (RFC 9113 section 6.8).
    private mutating func drain(after last: HTTP2StreamID, _ reason: GoAway) -> Event {
        phase = .draining
        let notProcessed = streams.keys.filter { $0 > last }.sorted()
        for id in notProcessed { streams[id] = nil }
        return .goAway(notProcessed: notProcessed, reason)
    }
}
