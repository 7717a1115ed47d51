// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore

/// Writes the requests of one connection, one after the other (RFC 9112).
struct HTTP1RequestEncoder {
    /// Whether the body that follows is sent in chunks (RFC 9112 section 7.1).
    private var isChunked = false
    /// The head of the last request.
    private var buffer = ByteBuffer()

    mutating func write(_ exchange: HTTPExchange, whole: ByteBuffer?, to emit: (ByteBuffer, _ isLast: Bool) -> Void)
        throws
    {
        try writeHead(exchange)
        guard let whole, whole.readableBytes > 0 else { return emit(buffer, true) }
        guard whole.readableBytes > Self.copyLimit else {
            buffer.writeImmutableBuffer(whole)
            return emit(buffer, true)
        }
        emit(buffer, false)
        var rest = whole
        repeat { emit(rest.readPiece(), rest.readableBytes == 0) } while rest.readableBytes > 0
    }

    /// Up to this size a body goes with its head in one piece, in bytes.
    private static let copyLimit = 16 * 1024
    /// Up to this size the memory of a head is kept for the next one, in bytes.
    private static let keptCapacity = 4 * 1024

    mutating func head(_ exchange: HTTPExchange) throws -> ByteBuffer {
        try writeHead(exchange)
        return buffer
    }

    /// Writes a head into the buffer, whose memory is used again where the last request has left.
    private mutating func writeHead(_ exchange: HTTPExchange) throws {
        let request = exchange.request
        isChunked = request.headerFields[.transferEncoding] != nil
        if buffer.storageCapacity > Self.keptCapacity { buffer = ByteBuffer() }
        let target = try Self.target(of: exchange)
        var size = 0
        Self.forEachPart(of: request, to: target) { size += $0.utf8.count }
        buffer.clear(minimumCapacity: 512)
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: size) { bytes in
            var offset = 0
            Self.forEachPart(of: request, to: target) { part in
                var part = part
                part.withUTF8 { utf8 in
                    UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]).copyMemory(from: .init(utf8))
                    offset += utf8.count
                }
            }
            return offset
        }
    }

    /// Calls a closure with each part of a request's head, in order.
    private static func forEachPart(of request: HTTPRequest, to target: String, _ write: (String) -> Void) {
        write(request.method.rawValue)
        write(" ")
        write(target)
        write(" HTTP/1.1\r\n")
        if let authority = request.authority {
            write("Host: ")
            write(authority)
            write("\r\n")
        }
        for field in request.headerFields where field.name.canonicalName != "host" || request.authority == nil {
            write(field.name.rawName)
            write(": ")
            write(field.value)
            write("\r\n")
        }
        write("\r\n")
    }

    /// The target in the form that the recipient needs (RFC 9112 section 3.2).
    ///
    /// - Throws: ``TransportError/malformedTarget(_:)`` where a part of it is missing, or would end the line.
    private static func target(of exchange: HTTPExchange) throws -> String {
        let request = exchange.request
        func checked(_ part: String?) throws -> String {
            guard let part, part.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
                throw TransportError.malformedTarget(request.path ?? "")
            }
            return part
        }
        return switch request.method {
        case .connect: try checked(request.authority)
        case _ where exchange.isAbsoluteForm:
            try checked(request.scheme) + "://" + checked(request.authority) + checked(request.path)
        default: try checked(request.path)
        }
    }

    func part(_ buffer: ByteBuffer) -> ByteBuffer {
        guard isChunked else { return buffer }
        guard buffer.readableBytes > 0 else { return ByteBuffer() }
        var chunk = ByteBuffer()
        chunk.reserveCapacity(buffer.readableBytes + 12)
        chunk.writeString(String(buffer.readableBytes, radix: 16))
        chunk.writeString("\r\n")
        chunk.writeImmutableBuffer(buffer)
        chunk.writeString("\r\n")
        return chunk
    }

    func end() -> ByteBuffer { isChunked ? ByteBuffer(string: "0\r\n\r\n") : ByteBuffer() }
}
