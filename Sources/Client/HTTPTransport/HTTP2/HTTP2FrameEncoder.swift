// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore
import NIOHPACK

/// An encoder of the client's frames, which writes them into one buffer (RFC 9113 sections 4 and 6).
struct HTTP2FrameEncoder {
    /// The maximum payload that the server accepts, in bytes.
    var maxFrameSize = HTTP2Frame.defaultMaxSize
    private var bytes = ByteBuffer()
    private var hpack = HPACKEncoder(allocator: ByteBufferAllocator())

    /// The maximum size of the dynamic table, in bytes, even if the server allows more.
    private static let tableSize = HPACKEncoder.defaultDynamicTableSize

    /// The maximum capacity of a buffer that is reused, in bytes.
    private static let maximumReusedCapacity = 64 * 1024

    /// The number of bytes in the buffer.
    var size: Int { bytes.readableBytes }

    /// Returns and removes the written bytes; `nil` if there are none.
    mutating func take() -> ByteBuffer? {
        guard bytes.readableBytes > 0 else { return nil }
        defer { bytes = ByteBuffer() }
        return bytes
    }

    /// Reuses a buffer after it was written, so that the next frames need no allocation.
    mutating func recycle(_ buffer: consuming ByteBuffer) {
        guard bytes.readableBytes == 0, buffer.capacity <= Self.maximumReusedCapacity else { return }
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

    /// Writes GOAWAY; its last stream is 0, because the server has opened none (RFC 9113 section 6.8).
    mutating func goAway(_ code: HTTP2ErrorCode) {
        head(HTTP2Frame.Kind.goAway, size: 8)
        bytes.writeMultipleIntegers(UInt32(0), code.rawValue)
    }

    mutating func windowUpdate(_ stream: HTTP2StreamID, increment: Int) {
        head(HTTP2Frame.Kind.windowUpdate, on: stream, size: 4)
        bytes.writeInteger(UInt32(truncatingIfNeeded: increment))
    }

    /// Applies the server's SETTINGS_HEADER_TABLE_SIZE from the next header block on (RFC 7541 section 4.2).
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

    /// Writes a part of a body, which must fit into one frame.
    mutating func data(_ stream: HTTP2StreamID, _ part: ByteBuffer, endStream: Bool) {
        head(HTTP2Frame.Kind.data, endStream ? .endStream : [], on: stream, size: part.readableBytes)
        bytes.writeImmutableBuffer(part)
    }

    /// Writes the head of a request in as many frames as the server's limit requires.
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
            guard !Self.isConnectionSpecific(name), !options.contains(name),
                name != "te" || field.value.lowercased() == "trailers"
            else { continue }
            if Self.isSecret(name) {
                try appendNeverIndexed(header: name, value: field.value)
            } else {
                try append(header: name, value: field.value)
            }
        }
    }

    /// Returns whether a field must not enter the compressor's table, because its value could be guessed from the
    /// output size (RFC 7541 section 7.1.3).
    private static func isSecret(_ name: String) -> Bool {
        switch name {
        case "authorization", "proxy-authorization", "cookie": true
        default: false
        }
    }

    /// Returns whether a field is connection-specific in HTTP/1.1 (RFC 9113 section 8.2.2).
    private static func isConnectionSpecific(_ name: String) -> Bool {
        switch name {
        case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "host": true
        default: false
        }
    }

    /// Returns the fields that Connection lists, which are connection-specific too (RFC 9110 section 7.6.1).
    private static func options(_ values: [String]) -> Set<String> {
        Set(
            values.joined(separator: ",").lowercased().split(separator: ",").map {
                String($0.filter { $0 != " " && $0 != "\t" })
            })
    }
}
