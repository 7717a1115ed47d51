// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
package import NIOCore
import NIOHPACK

extension HTTP2ConnectionStateMachine {
    /// Takes bytes that arrived.
    package mutating func receive(_ bytes: ByteBuffer) {
        if phase != .failed { decoder.append(bytes) }
    }

    /// Returns the next event of what arrived; `nil` where more has to arrive.
    ///
    /// - Throws: The error that ends the connection; GOAWAY has been written.
    package mutating func next() throws(HTTP2ConnectionError) -> Event? {
        guard phase != .failed else { return nil }
        do throws(HTTP2ConnectionError) {
            if phase == .awaitingSettings, let first = decoder.firstByte, first != 0 {
                // SETTINGS come first, and their length is below 2^16 (RFC 9113 section 3.4).
                throw .notHTTP2
            }
            while let (frame, size) = try decoder.next() {
                if let event = try receive(frame, size: size) { return event }
            }
            return nil
        } catch {
            if case .violation(let code) = error { close(code) } else { phase = .failed }
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
        case .goAway(let last, _):
            try flood.noteSurplus(size)
            return drain(after: last)
        case .windowUpdate(let id, let increment):
            try flood.noteSurplus(size)
            return try id == 0 ? openWindow(by: increment) : openWindow(by: increment, on: id)
        case .priority, .settingsAcknowledgement, .pingAcknowledgement, .ignored:
            try flood.noteSurplus(size)
            return nil
        }
    }

    // MARK: Responses

    /// Finds a stream's state; `nil` where the stream has ended.
    ///
    /// - Throws: Where the client has never opened the stream, which is idle (RFC 9113 section 5.1).
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
        guard streams.values[index].useWindow(size) else { throw .violation(.flowControlError) }
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

    /// Counts DATA against the connection's window, and gives it back at once: bodies that nothing reads hold up no other.
    private mutating func useWindow(_ size: Int) throws(HTTP2ConnectionError) {
        guard size <= receiveWindow else { throw .violation(.flowControlError) }
        receiveWindow -= size
        consumed += size
        guard consumed >= Self.connectionWindow / 2 else { return }
        encoder.windowUpdate(0, increment: consumed)
        receiveWindow += consumed
        consumed = 0
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

    /// The response is complete; the stream goes on where the request is not.
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
        if let size = settings.leastHeaderTableSize { try encoder.setHeaderTableSize(size) }
        if let size = settings.headerTableSize { try encoder.setHeaderTableSize(size) }
        if let size = settings.initialWindowSize {
            let change = size - initialSendWindow
            initialSendWindow = size
            for id in streams.keys {
                guard let window = streams[id]?.sendWindow, window + change <= HTTP2Frame.maxWindow else {
                    throw .violation(.flowControlError)
                }
                streams[id]?.sendWindow += change
            }
        }
        try flood.noteAnswer(0)
        encoder.settingsAcknowledgement()
    }

    private mutating func openWindow(by increment: Int) throws(HTTP2ConnectionError) -> Event {
        guard increment > 0 else { throw .violation(.protocolError) }
        guard sendWindow + increment <= HTTP2Frame.maxWindow else { throw .violation(.flowControlError) }
        sendWindow += increment
        return .windowUpdate
    }

    private mutating func openWindow(
        by increment: Int, on id: HTTP2StreamID
    ) throws(HTTP2ConnectionError) -> Event? {
        guard let index = try index(of: id) else { return nil }
        guard increment > 0 else { return fail(id, .malformed) }
        // Nothing more is sent there.
        guard !streams.values[index].isLocallyClosed else { return nil }
        guard streams.values[index].sendWindow + increment <= HTTP2Frame.maxWindow else {
            return fail(id, .malformed, .flowControlError)
        }
        streams.values[index].sendWindow += increment
        return .windowUpdate
    }

    /// Takes a GOAWAY; a second one names no later stream than the first (RFC 9113 section 6.8).
    private mutating func drain(after last: HTTP2StreamID) -> Event {
        phase = .draining
        let notProcessed = streams.keys.filter { $0 > last }.sorted()
        for id in notProcessed { streams[id] = nil }
        return .goAway(notProcessed: notProcessed)
    }
}
