// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL

/// A server of HTTP/1.1 on loopback that sends the bytes of a transcript, one reply for each request.
final class ReplyServer: Sendable {
    struct Reply: Sendable {
        let bytes: [UInt8]
        let closes: Bool

        /// - Parameters:
        ///   - lines: Head, empty line, body.
        ///   - lineEnd: What ends each line of the head.
        init(_ lines: [String], lineEnd: String) {
            var lines = lines
            closes = lines.last == "close"
            if closes { lines.removeLast() }
            let end = lines.firstIndex(of: "") ?? lines.endIndex
            let body = Self.unescaped(lines[end...].dropFirst().joined(separator: "\n"))
            let head = lines[..<end].map { line in
                Self.unescaped(line.replacing("Content-Length: *", with: "Content-Length: \(body.count)") + lineEnd)
            }
            bytes = Array(head.joined()) + Array(lineEnd.utf8) + body
        }

        /// The text's bytes; `\xNN` is the byte NN.
        private static func unescaped(_ text: String) -> [UInt8] {
            var parts = text.components(separatedBy: "\\x")[...]
            var bytes = Array((parts.popFirst() ?? "").utf8)
            for part in parts {
                bytes.append(UInt8(part.prefix(2), radix: 16) ?? UInt8(ascii: "?"))
                bytes += Array(part.dropFirst(2).utf8)
            }
            return bytes
        }
    }

    private let channel: any Channel
    private let record: NIOLockedValueBox<Record>

    struct Record {
        var replies: ArraySlice<Reply>
        var heads: [[String]] = []

        /// The next reply; the last one repeats.
        mutating func next() -> Reply? { replies.count > 1 ? replies.popFirst() : replies.first }
    }

    var port: Int { channel.localAddress?.port ?? 0 }

    private init(_ channel: any Channel, _ record: NIOLockedValueBox<Record>) {
        (self.channel, self.record) = (channel, record)
    }

    static func start(_ replies: [Reply], tls: NIOSSLContext?) async throws -> ReplyServer {
        let record = NIOLockedValueBox(Record(replies: replies[...]))
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.addHandler(ReplyHandler(record))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return ReplyServer(channel, record)
    }

    /// Returns the requests received since the last call: head, an empty line and the body where there is one, `---` between two.
    func takeHeads() -> [String] {
        record.withLockedValue { record in
            defer { record.heads = [] }
            return Array(record.heads.joined(separator: ["---"]))
        }
    }

    func stop() async { try? await channel.close() }
}

/// Reads requests, body included, and answers each with the next reply.
private final class ReplyHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let record: NIOLockedValueBox<ReplyServer.Record>
    private var received: [UInt8] = []
    private var sentContinue = false

    init(_ record: NIOLockedValueBox<ReplyServer.Record>) { self.record = record }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += Array(unwrapInboundIn(data).readableBytesView)
        while let request = nextRequest(context) {
            let reply = record.withLockedValue { record in
                record.heads.append(request)
                return record.next()
            }
            guard let reply else { continue }
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: reply.bytes)), promise: nil)
            if reply.closes { context.close(promise: nil) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func nextRequest(_ context: ChannelHandlerContext) -> [String]? {
        guard let end = received.firstRange(of: [0x0D, 0x0A, 0x0D, 0x0A]) else { return nil }
        let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let fields = lines.dropFirst().map { $0.lowercased() }
        if fields.contains("expect: 100-continue"), !sentContinue {
            sentContinue = true
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
        }
        let body: ArraySlice<UInt8>
        let rest: ArraySlice<UInt8>
        if fields.contains("transfer-encoding: chunked") {
            guard let last = received[end.upperBound...].firstRange(of: Array("0\r\n\r\n".utf8)) else { return nil }
            body = received[end.upperBound..<last.upperBound]
            rest = received[last.upperBound...]
        } else {
            let prefix = "content-length: "
            let length = fields.first { $0.hasPrefix(prefix) }.flatMap { Int($0.dropFirst(prefix.count)) } ?? 0
            guard received.count - end.upperBound >= length else { return nil }
            body = received[end.upperBound..<(end.upperBound + length)]
            rest = received[(end.upperBound + length)...]
        }
        received = Array(rest)
        sentContinue = false
        let text = String(decoding: body, as: UTF8.self).components(separatedBy: "\n")
        return lines + (body.isEmpty ? [] : [""] + text.map { $0.replacing("\r", with: "") })
    }
}
