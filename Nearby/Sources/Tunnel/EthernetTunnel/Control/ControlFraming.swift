// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Encodes and decodes control messages: a two-byte length in network byte order, followed by JSON.
struct ControlFraming: ByteToMessageDecoder, MessageToByteEncoder, Sendable {
    typealias InboundOut = ControlMessage
    typealias OutboundIn = ControlMessage

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        var rest = buffer
        guard let length = rest.readInteger(as: UInt16.self).map(Int.init) else { return .needMoreData }
        guard length <= ControlMessage.maximumLength else { throw TunnelError.malformedMessage("it is too long") }
        guard let bytes = rest.readBytes(length: length) else { return .needMoreData }
        buffer = rest
        context.fireChannelRead(wrapInboundOut(try ControlMessage(json: bytes)))
        return .continue
    }

    mutating func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
    ) throws -> DecodingState { try decode(context: context, buffer: &buffer) }

    func encode(data: ControlMessage, out: inout ByteBuffer) throws {
        let json = try data.json
        guard json.count <= ControlMessage.maximumLength else { throw TunnelError.malformedMessage("it is too long") }
        out.writeInteger(UInt16(json.count))
        out.writeBytes(json)
    }
}
