// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// Reads the cipher suite from the ServerHello as it passes by, because NIOSSL does not tell it (RFC 8446 section 4.1.3), and
/// notices a peer that does not speak TLS at all.
final class ServerHelloObserver: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Enough for the record header, the handshake header, version, random, session id and cipher suite.
    private static let prefixLength = 5 + 4 + 2 + 32 + 1 + 32 + 2

    /// change_cipher_spec, alert, handshake, application_data (RFC 8446 section 5.1).
    private static let contentTypes: ClosedRange<UInt8> = 20...23

    private let record: ConnectionRecord
    private var prefix = ByteBuffer()
    private var isDone = false

    init(record: ConnectionRecord) {
        self.record = record
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isDone {
            observe(unwrapInboundIn(data))
        }
        context.fireChannelRead(data)
    }

    private func observe(_ buffer: ByteBuffer) {
        prefix.writeBytes(buffer.readableBytesView.prefix(Self.prefixLength - prefix.readableBytes))
        if let first = prefix.getInteger(at: prefix.readerIndex, as: UInt8.self), !Self.contentTypes.contains(first) {
            record.note { $0.isNotTLS = true }
            isDone = true
        } else if let suite = Self.cipherSuite(in: prefix) {
            record.note { $0.cipherSuite = suite }
            isDone = true
        } else if prefix.readableBytes >= Self.prefixLength {
            isDone = true
        }
    }

    /// The suite that a ServerHello names; `nil` where the bytes are not one, or not all of one yet.
    static func cipherSuite(in flight: ByteBuffer) -> UInt16? {
        var reader = flight
        guard reader.readInteger(as: UInt8.self) == 22, reader.readSlice(length: 4) != nil,
            reader.readInteger(as: UInt8.self) == 2, reader.readSlice(length: 3 + 2 + 32) != nil,
            let sessionIDLength = reader.readInteger(as: UInt8.self), sessionIDLength <= 32,
            reader.readSlice(length: Int(sessionIDLength)) != nil
        else { return nil }
        return reader.readInteger()
    }
}
