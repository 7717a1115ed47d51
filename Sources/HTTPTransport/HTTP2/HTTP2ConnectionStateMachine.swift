// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import HTTPTypes
package import NIOCore

/// The client's side of a connection of HTTP/2 (RFC 9113): bytes of the server in, events out, and bytes for the server.
package struct HTTP2ConnectionStateMachine {
    /// How much a server may send of one body before it is read, in bytes.
    static let streamWindow = 1 << 20

    /// The same of all bodies of a connection together, in bytes.
    static let connectionWindow = 8 << 20

    /// How many streams may be open until the server says it; RFC 9113 section 6.5.2 advises servers to allow no fewer.
    static let defaultStreamLimit = 100

    /// What the server sent.
    package enum Event: Equatable {
        case information(HTTP2StreamID, HTTPResponse.Status)
        case head(HTTP2StreamID, HTTPResponse, endStream: Bool)
        case data(HTTP2StreamID, ByteBuffer, endStream: Bool)
        case trailers(HTTP2StreamID)
        case streamFailed(HTTP2StreamID, HTTP2StreamError)
        /// The limit of the streams or the windows may have changed.
        case settings
        case windowUpdate
        /// No stream may be opened any more; these were not processed (RFC 9113 section 6.8).
        case goAway(notProcessed: [HTTP2StreamID])
    }

    enum Phase {
        case awaitingSettings
        case open
        /// The server takes no new stream.
        case draining
        case failed
    }

    var phase = Phase.awaitingSettings
    var decoder: HTTP2FrameDecoder
    var encoder = HTTP2FrameEncoder()
    var streams: [HTTP2StreamID: HTTP2StreamState] = [:]
    var heads = HTTP2HeadReader()
    private(set) var nextStreamID: HTTP2StreamID
    /// How much may be sent over all streams, in bytes.
    var sendWindow = 65_535
    /// What the server sets the window of a new stream to, in bytes.
    var initialSendWindow = 65_535
    var receiveWindow = Self.connectionWindow
    /// What was received and not announced to the server as consumed, in bytes.
    var consumed = 0
    var streamLimit = Self.defaultStreamLimit
    var flood = HTTP2FloodGuard()

    /// - Parameters:
    ///   - headLimit: The largest header list that is accepted, in bytes.
    ///   - firstStreamID: The identifier of the first stream, which is odd.
    package init(headLimit: Int = HeadLimit.size, firstStreamID: HTTP2StreamID = 1) {
        decoder = HTTP2FrameDecoder(headLimit: headLimit)
        nextStreamID = firstStreamID
        encoder.preface(
            settings: [(0x2, 0), (0x4, Self.streamWindow), (0x6, headLimit)],
            connectionWindow: Self.connectionWindow)
    }

    // MARK: Requests

    /// Whether no stream can be opened any more: the server takes none, or no identifier is left (RFC 9113 section 5.1.1).
    var isDraining: Bool { phase == .draining || phase == .failed || nextStreamID > HTTP2Frame.maxStreamID }

    /// Whether a stream can be opened now.
    package var canOpenStream: Bool { !isDraining && streams.count < streamLimit }

    /// Sends the head of a request on a new stream; call it where ``canOpenStream`` says so.
    package mutating func open(_ request: HTTPRequest, endStream: Bool) throws(HTTP2ConnectionError) -> HTTP2StreamID {
        let id = nextStreamID
        try encoder.headers(id, request, endStream: endStream)
        streams[id] = HTTP2StreamState(
            sendWindow: initialSendWindow, isLocallyClosed: endStream, isHead: request.method == .head)
        nextStreamID += 2
        flood.noteProgress()
        return id
    }

    /// Sends as much of a body as the windows let through (RFC 9113 section 6.9).
    ///
    /// - Parameters:
    ///   - part: Loses what was sent.
    ///   - id: The stream of the request.
    ///   - endStream: Whether the body ends with the part.
    ///   - limit: The most that is sent now, in bytes.
    /// - Returns: Whether the part was sent completely.
    package mutating func send(
        _ part: inout ByteBuffer, on id: HTTP2StreamID, endStream: Bool, upTo limit: Int = .max
    ) -> Bool {
        guard let index = streams.index(forKey: id), !streams.values[index].isLocallyClosed else { return true }
        var left = limit
        while part.readableBytes > 0 {
            let size = min(
                part.readableBytes, left, sendWindow, streams.values[index].sendWindow, encoder.maxFrameSize)
            guard size > 0, let piece = part.readSlice(length: size) else { return false }
            let isLast = endStream && part.readableBytes == 0
            encoder.data(id, piece, endStream: isLast)
            sendWindow -= size
            streams.values[index].sendWindow -= size
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

    /// Ends a stream that is open on either side; one that has ended is left alone.
    package mutating func reset(_ id: HTTP2StreamID, _ code: HTTP2ErrorCode) {
        guard let stream = streams.removeValue(forKey: id) else { return }
        // The server may send so much before it sees the reset.
        flood.expectLateData(stream.receiveWindow)
        encoder.reset(id, code)
    }

    // MARK: The connection

    /// The largest of all flow-control windows, in bytes.
    package var largestWindow: Int {
        max(sendWindow, receiveWindow, streams.values.lazy.map { max($0.sendWindow, $0.receiveWindow) }.max() ?? 0)
    }

    /// How many streams are open.
    package var streamCount: Int { streams.count }

    /// How many bytes of the server wait for the rest of a frame or of a header block.
    package var bufferedSize: Int { decoder.bufferedSize }

    mutating func ping() { encoder.ping(0, isAcknowledgement: false) }

    /// Gives back what the reader of a body has taken (RFC 9113 section 6.9).
    package mutating func consume(_ size: Int, on id: HTTP2StreamID) {
        // An optional that is changed in place would cost three allocations (Swift 6.3).
        guard let index = streams.index(forKey: id), let increment = streams.values[index].consume(size) else { return }
        encoder.windowUpdate(id, increment: increment)
    }

    /// Ends the connection; nothing is read any more.
    mutating func close(_ code: HTTP2ErrorCode) {
        guard phase != .failed else { return }
        phase = .failed
        encoder.goAway(code)
    }

    /// Takes the bytes for the server; `nil` where there are none.
    package mutating func takeOutbound() -> ByteBuffer? {
        flood.noteDeparture()
        return encoder.take()
    }

    mutating func recycle(_ buffer: consuming ByteBuffer) { encoder.recycle(buffer) }
}
