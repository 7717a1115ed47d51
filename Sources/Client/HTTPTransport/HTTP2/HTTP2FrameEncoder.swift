// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore
import NIOHPACK

/// Writes the frames of a client into one buffer (RFC 9113 sections 4 and 6).
struct HTTP2FrameEncoder {
    /// The largest payload that the server accepts, in bytes.
    var maxFrameSize = HTTP2Frame.defaultMaxSize
    private var bytes = ByteBuffer()
    private var hpack = HPACKEncoder(allocator: ByteBufferAllocator())

    /// The largest dynamic table that is used, however large the server's may be, in bytes.
    private static let tableSize = HPACKEncoder.defaultDynamicTableSize

    /// The most that the buffer keeps for what is written later, in bytes.
    private static let keptCapacity = 64 * 1024

    /// How many bytes were written and not taken.
    var size: Int { bytes.readableBytes }

    /// Takes what was written; `nil` where nothing was.
    mutating func take() -> ByteBuffer? {
        guard bytes.readableBytes > 0 else { return nil }
        defer { bytes = ByteBuffer() }
        return bytes
    }

    /// Takes a buffer back that has left, so that the next frames need no new one.
    mutating func recycle(_ buffer: consuming ByteBuffer) {
        guard bytes.readableBytes == 0, buffer.capacity <= Self.keptCapacity else { return }
        buffer.clear()
        bytes = buffer
    }

    // MARK: The connection

    /// Writes the preface (RFC 9113 section 3.4), the settings, and the window of the connection.
    mutating func preface(settings: [(identifier: UInt16, value: Int)], connectionWindow: Int) {
        bytes.writeStaticString("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        head(HTTP2Frame.Kind.settings, size: 6 * settings.count)
        for (identifier, value) in settings {
            bytes.writeMultipleIntegers(identifier, UInt32(truncatingIfNeeded: value))
        }
        windowUpdate(0, increment: connectionWindow - HTTP2Window.initial)
    }

    mutating func settingsAcknowledgement() {
        head(HTTP2Frame.Kind.settings, .acknowledgement, size: 0)
    }

    mutating func ping(_ data: UInt64, isAcknowledgement: Bool) {
        head(HTTP2Frame.Kind.ping, isAcknowledgement ? .acknowledgement : [], size: 8)
        bytes.writeInteger(data)
    }

    /// Says that the client takes no stream of the server's; there are none (RFC 9113 section 6.8).
    mutating func goAway(_ code: HTTP2ErrorCode) {
        head(HTTP2Frame.Kind.goAway, size: 8)
        bytes.writeMultipleIntegers(UInt32(0), code.rawValue)
    }

    mutating func windowUpdate(_ stream: HTTP2StreamID, increment: Int) {
        head(HTTP2Frame.Kind.windowUpdate, on: stream, size: 4)
        bytes.writeInteger(UInt32(truncatingIfNeeded: increment))
    }

    /// Obeys the server's SETTINGS_HEADER_TABLE_SIZE from the next header block on (RFC 7541 section 4.2).
    mutating func setHeaderTableSize(_ size: Int) throws(HTTP2ConnectionError) {
        do {
            try hpack.setDynamicTableSize(min(size, Self.tableSize))
        } catch {
            throw .violation(.internalError)
        }
    }

    // MARK: Streams

    mutating func reset(_ stream: HTTP2StreamID, _ code: HTTP2ErrorCode) {
        head(HTTP2Frame.Kind.reset, on: stream, size: 4)
        bytes.writeInteger(code.rawValue)
    }

    /// Writes a part of a body, which fits into one frame.
    mutating func data(_ stream: HTTP2StreamID, _ part: ByteBuffer, endStream: Bool) {
        head(HTTP2Frame.Kind.data, endStream ? .endStream : [], on: stream, size: part.readableBytes)
        bytes.writeImmutableBuffer(part)
    }

    /// Writes a request in as many frames as the server's limit needs.
    mutating func headers(
        _ stream: HTTP2StreamID, _ request: HTTPRequest, endStream: Bool
    ) throws(HTTP2ConnectionError) {
        var block: ByteBuffer
        do {
            try hpack.beginEncoding(allocator: ByteBufferAllocator())
            try hpack.append(request)
            block = try hpack.endEncoding()
        } catch {
            throw .violation(.internalError)
        }
        var kind = HTTP2Frame.Kind.headers
        var flags: HTTP2Frame.Flags = endStream ? .endStream : []
        repeat {
            let fragment = block.readSlice(length: min(block.readableBytes, maxFrameSize)) ?? ByteBuffer()
            if block.readableBytes == 0 { flags.insert(.endHeaders) }
            head(kind, flags, on: stream, size: fragment.readableBytes)
            bytes.writeImmutableBuffer(fragment)
            (kind, flags) = (HTTP2Frame.Kind.continuation, [])
        } while block.readableBytes > 0
    }

    private mutating func head(
        _ kind: UInt8, _ flags: HTTP2Frame.Flags = [], on stream: HTTP2StreamID = 0, size: Int
    ) {
        bytes.writeMultipleIntegers(UInt32(truncatingIfNeeded: size) << 8 | UInt32(kind), flags.rawValue, stream)
    }
}

extension HPACKEncoder {
    /// Encodes the head of a request (RFC 9113 section 8.3.1).
    fileprivate mutating func append(_ request: HTTPRequest) throws {
        try append(header: ":method", value: request.method.rawValue)
        if let scheme = request.scheme { try append(header: ":scheme", value: scheme) }
        if let authority = request.authority { try append(header: ":authority", value: authority) }
        if let path = request.path { try append(header: ":path", value: path) }
        let named = request.headerFields[values: .connection]
        let options = named.isEmpty ? [] : Self.options(named)
        for field in request.headerFields {
            let name = field.name.canonicalName
            guard !Self.isOfConnection(name), !options.contains(name),
                name != "te" || field.value.lowercased() == "trailers"
            else { continue }
            if Self.isSecret(name) {
                try appendNeverIndexed(header: name, value: field.value)
            } else {
                try append(header: name, value: field.value)
            }
        }
    }

    /// Whether a field is one that a compressor must not keep, because others could guess it by its output (RFC 7541 section 7.1.3).
    private static func isSecret(_ name: String) -> Bool {
        switch name {
        case "authorization", "proxy-authorization", "cookie": true
        default: false
        }
    }

    /// Whether a field is about a connection of HTTP/1.1 (RFC 9113 section 8.2.2).
    private static func isOfConnection(_ name: String) -> Bool {
        switch name {
        case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "host": true
        default: false
        }
    }

    /// The fields that Connection names, which end with the connection too (RFC 9110 section 7.6.1).
    private static func options(_ values: [String]) -> Set<String> {
        Set(
            values.joined(separator: ",").lowercased().split(separator: ",").map {
                String($0.filter { $0 != " " && $0 != "\t" })
            })
    }
}
