// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOHPACK

/// A decoder of the server's frames (RFC 9113 sections 4 and 6).
///
/// It buffers at most one incomplete frame and one incomplete header block.
struct HTTP2FrameDecoder {
    /// The maximum size of an accepted frame, in bytes; SETTINGS_MAX_FRAME_SIZE keeps its default.
    static let maxFrameSize = HTTP2Frame.defaultMaxSize

    /// The maximum number of CONTINUATION frames in a header block (CVE-2024-27316).
    ///
    /// It is twice the number that the largest header block needs.
    static let continuationLimit = 32

    /// The maximum size of the stored debug data of a GOAWAY frame, in bytes.
    private static let debugDataLimit = 200

    /// A header block whose last frame has not arrived.
    private struct HeaderBlock {
        let stream: HTTP2StreamID
        let endStream: Bool
        var fragments: ByteBuffer
        var continuations = 0
    }

    private struct Head {
        let size: Int
        let kind: UInt8
        let flags: HTTP2Frame.Flags
        let stream: HTTP2StreamID
    }

    /// The maximum size of a decoded header list, and of a header block, in bytes.
    private let headLimit: Int
    private var buffer = ByteBuffer()
    private var block: HeaderBlock?
    private var hpack: HeaderBlockDecoder

    /// Creates a decoder.
    ///
    /// - Parameter headLimit: The maximum size of a header list, in bytes (RFC 9113 section 6.5.2).
    init(headLimit: Int) {
        self.headLimit = headLimit
        hpack = HeaderBlockDecoder(headLimit: headLimit)
    }

    /// The number of bytes that wait for the rest of a frame or of a header block.
    var bufferedSize: Int { buffer.readableBytes + (block?.fragments.readableBytes ?? 0) }

    /// The first unread byte.
    var firstByte: UInt8? { buffer.getInteger(at: buffer.readerIndex) }

    /// Appends received bytes.
    mutating func append(_ bytes: ByteBuffer) {
        guard buffer.readableBytes > 0 else { return buffer = bytes }
        guard buffer.readerIndex > 0 else {
            buffer.writeImmutableBuffer(bytes)
            return
        }
        // Less than a frame is left; copying it releases the buffer in which it arrived.
        var joined = ByteBuffer()
        joined.reserveCapacity(buffer.readableBytes + bytes.readableBytes)
        joined.writeImmutableBuffer(buffer)
        joined.writeImmutableBuffer(bytes)
        buffer = joined
    }

    /// Reads the next frame.
    ///
    /// - Returns: The frame and the size of its payload, in bytes; `nil` if it is incomplete.
    /// - Throws: A connection error for a malformed frame.
    mutating func next() throws(HTTP2ConnectionError) -> (frame: HTTP2Frame, size: Int)? {
        guard let head = peekHead() else { return nil }
        // A frame that is too large is rejected before its payload arrives.
        guard head.size <= Self.maxFrameSize else { throw .violation(.frameSizeError) }
        guard buffer.readableBytes >= HTTP2Frame.headSize + head.size else { return nil }
        buffer.moveReaderIndex(forwardBy: HTTP2Frame.headSize)
        var payload = buffer.readSlice(length: head.size) ?? ByteBuffer()
        if buffer.readableBytes == 0 { buffer = ByteBuffer() }
        // A header block is contiguous (RFC 9113 section 6.10).
        if let block, head.kind != HTTP2Frame.Kind.continuation || head.stream != block.stream {
            throw .violation(.protocolError)
        }
        return (try frame(head, &payload), head.size)
    }

    private func peekHead() -> Head? {
        guard let words = buffer.peekMultipleIntegers(as: (UInt32, UInt8, UInt32).self) else { return nil }
        return Head(
            size: Int(words.0 >> 8), kind: UInt8(truncatingIfNeeded: words.0), flags: .init(rawValue: words.1),
            stream: words.2 & HTTP2Frame.maxStreamID)
    }

    private mutating func frame(_ head: Head, _ payload: inout ByteBuffer) throws(HTTP2ConnectionError) -> HTTP2Frame {
        switch head.kind {
        case HTTP2Frame.Kind.data: return try Self.data(head, &payload)
        case HTTP2Frame.Kind.headers: return try headers(head, &payload)
        case HTTP2Frame.Kind.continuation: return try continuation(head, payload)
        case HTTP2Frame.Kind.settings: return try Self.settings(head, &payload)
        // The client's settings disable server push (RFC 9113 section 8.4).
        case HTTP2Frame.Kind.pushPromise: throw .violation(.protocolError)
        default: return try Self.fixedFrame(head, &payload)
        }
    }

    // MARK: DATA and header blocks

    private static func data(_ head: Head, _ payload: inout ByteBuffer) throws(HTTP2ConnectionError) -> HTTP2Frame {
        try requireStream(head)
        try removePadding(head, &payload)
        return .data(head.stream, payload, size: head.size, endStream: head.flags.contains(.endStream))
    }

    private mutating func headers(
        _ head: Head, _ payload: inout ByteBuffer
    ) throws(HTTP2ConnectionError) -> HTTP2Frame {
        try Self.requireStream(head)
        try Self.removePadding(head, &payload)
        if head.flags.contains(.priority) {
            guard payload.readSlice(length: 5) != nil else { throw .violation(.frameSizeError) }
        }
        let endStream = head.flags.contains(.endStream)
        guard head.flags.contains(.endHeaders) else {
            block = HeaderBlock(stream: head.stream, endStream: endStream, fragments: payload)
            return .ignored
        }
        return .headers(head.stream, try hpack.decode(&payload), endStream: endStream)
    }

    private mutating func continuation(
        _ head: Head, _ payload: ByteBuffer
    ) throws(HTTP2ConnectionError) -> HTTP2Frame {
        guard var block else { throw .violation(.protocolError) }
        self.block = nil
        block.continuations += 1
        guard block.continuations <= Self.continuationLimit else { throw .violation(.enhanceYourCalm) }
        guard block.fragments.readableBytes + payload.readableBytes <= headLimit else { throw .headTooLarge }
        block.fragments.writeImmutableBuffer(payload)
        guard head.flags.contains(.endHeaders) else {
            self.block = block
            return .ignored
        }
        return .headers(block.stream, try hpack.decode(&block.fragments), endStream: block.endStream)
    }

    /// Removes the padding of a DATA or HEADERS frame (RFC 9113 section 6.1).
    private static func removePadding(_ head: Head, _ payload: inout ByteBuffer) throws(HTTP2ConnectionError) {
        guard head.flags.contains(.padded) else { return }
        guard let length = payload.readInteger(as: UInt8.self) else { throw .violation(.frameSizeError) }
        guard let content = payload.readSlice(length: payload.readableBytes - Int(length)) else {
            throw .violation(.protocolError)
        }
        payload = content
    }

    // MARK: Other frames

    private static func settings(
        _ head: Head, _ payload: inout ByteBuffer
    ) throws(HTTP2ConnectionError) -> HTTP2Frame {
        try requireConnection(head)
        if head.flags.contains(.acknowledgement) {
            try requireSize(0, head)
            return .settingsAcknowledgement
        }
        guard head.size.isMultiple(of: 6) else { throw .violation(.frameSizeError) }
        var settings = HTTP2Settings()
        while let (identifier, value) = payload.readMultipleIntegers(as: (UInt16, UInt32).self) {
            try settings.set(identifier, to: value)
        }
        return .settings(settings)
    }

    /// Reads a frame whose payload has a fixed size, or begins with fixed-size fields.
    private static func fixedFrame(
        _ head: Head, _ payload: inout ByteBuffer
    ) throws(HTTP2ConnectionError) -> HTTP2Frame {
        switch head.kind {
        case HTTP2Frame.Kind.priority:
            try requireStream(head)
            try requireSize(5, head)
            return .priority
        case HTTP2Frame.Kind.reset:
            try requireStream(head)
            try requireSize(4, head)
            return .reset(head.stream, HTTP2ErrorCode(rawValue: try integer(&payload)))
        case HTTP2Frame.Kind.ping:
            try requireConnection(head)
            try requireSize(8, head)
            let data: UInt64 = try integer(&payload)
            return head.flags.contains(.acknowledgement) ? .pingAcknowledgement : .ping(data)
        case HTTP2Frame.Kind.goAway:
            try requireConnection(head)
            let last: UInt32 = try integer(&payload)
            let code: UInt32 = try integer(&payload)
            let debugData = String(decoding: payload.readableBytesView.prefix(debugDataLimit), as: UTF8.self)
            return .goAway(lastStreamID: last & HTTP2Frame.maxStreamID, GoAway(code: code, debugData: debugData))
        case HTTP2Frame.Kind.windowUpdate:
            try requireSize(4, head)
            let increment: UInt32 = try integer(&payload)
            return .windowUpdate(head.stream, increment: Int(increment & HTTP2Frame.maxStreamID))
        default:
            return .ignored
        }
    }

    private static func integer<Integer: FixedWidthInteger>(
        _ payload: inout ByteBuffer
    ) throws(HTTP2ConnectionError) -> Integer {
        guard let integer = payload.readInteger(as: Integer.self) else { throw .violation(.frameSizeError) }
        return integer
    }

    private static func requireStream(_ head: Head) throws(HTTP2ConnectionError) {
        guard head.stream != 0 else { throw .violation(.protocolError) }
    }

    private static func requireConnection(_ head: Head) throws(HTTP2ConnectionError) {
        guard head.stream == 0 else { throw .violation(.protocolError) }
    }

    private static func requireSize(_ size: Int, _ head: Head) throws(HTTP2ConnectionError) {
        guard head.size == size else { throw .violation(.frameSizeError) }
    }
}
