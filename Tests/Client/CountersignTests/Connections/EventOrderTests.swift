// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import CertificateTrust
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOSSL
import TLSTransport
import Testing
@testable import ChallengeLab
@testable import HTTPTransport
import EssentialFoundation

/// In any order of a connection's events, a fully received response is complete and a truncated response is an error.
@Suite("Orders of the events of an exchange") struct EventOrderTests {
    /// A response in three parts: its head and the two halves of its body.
    ///
    /// Over TLS, each part is a separate record.
    enum Response: CaseIterable {
        case length
        case chunked
        case untilClose
        case http2

        var parts: [[UInt8]] {
            let head = "HTTP/1.1 200 OK\r\n"
            return switch self {
            case .length: [head + "Content-Length: 6\r\n\r\n", "abc", "def"].map { Array($0.utf8) }
            case .chunked:
                [head + "Transfer-Encoding: chunked\r\n\r\n", "3\r\nabc\r\n", "3\r\ndef\r\n0\r\n\r\n"].map {
                    Array($0.utf8)
                }
            case .untilClose: [head + "\r\n", "abc", "def"].map { Array($0.utf8) }
            case .http2:
                [
                    // SETTINGS, HEADERS with :status 200 of the static table and content-length: 6, and DATA.
                    [0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 5, 1, 4, 0, 0, 0, 1, 0x88, 0x0f, 0x0d, 1, 0x36],
                    [0, 0, 3, 0, 0, 0, 0, 0, 1] + Array("abc".utf8), [0, 0, 3, 0, 1, 0, 0, 0, 1] + Array("def".utf8),
                ]
            }
        }
    }

    /// The event that ends the connection or the exchange.
    enum End: CaseIterable {
        case nothing
        /// The peer closes, and NIO first reports that the read is complete.
        case close
        /// NIO closes after a failed write, without reporting the end of the read.
        case failedWrite
        /// ECONNRESET follows the bytes of the same read.
        case reset
        /// close_notify arrives in the buffer of the last bytes.
        case notification
        /// The server closes with GOAWAY and close_notify, which arrive in the buffer of the last bytes.
        case goAway
        /// The task that reads the response is cancelled.
        case cancellation
    }

    struct Order: CustomStringConvertible {
        let response: Response
        let isTLS: Bool
        /// The parts of each read, in order.
        let reads: [Range<Int>]
        /// Whether NIO reports the end of the read after each of the reads.
        let completions: [Bool]
        let end: End
        /// Whether the reader of the body starts before the first byte arrives, rather than after the connection's end.
        let isReaderEarly: Bool

        var description: String {
            let reads = zip(reads, completions).map { "\($0)\($1 ? "!" : "")" }.joined(separator: " ")
            let (layer, reader) = (isTLS ? " over TLS" : "", isReaderEarly ? "early" : "late")
            return "\(response)\(layer): \(reads), \(end), reader \(reader)"
        }

        /// The number of parts that arrive.
        var arrived: Int { reads.last?.upperBound ?? 0 }

        /// Whether the received response must count as complete.
        var isComplete: Bool {
            guard response == .untilClose else { return arrived == 3 }
            // Without close_notify, an attacker may have truncated a response that TLS protects (RFC 8446 section 6.1).
            return arrived > 0 && (isTLS ? end == .notification : [.close, .failedWrite].contains(end))
        }

        /// The part of the body that arrives.
        var body: String { String("abcdef".prefix(max(0, arrived - 1) * 3)) }

        static func all(of response: Response, isTLS: Bool) -> [Order] {
            let ends = End.allCases.filter { end in
                switch end {
                case .notification: isTLS
                case .goAway: response == .http2
                default: true
                }
            }
            var orders: [Order] = []
            for cuts in 0..<4 {
                let bounds = [0] + [1, 2].filter { cuts & $0 != 0 } + [3]
                let complete = zip(bounds, bounds.dropFirst()).map { $0..<$1 }
                for count in 0...complete.count {
                    let reads = Array(complete.prefix(count))
                    for completions in 0..<(1 << count) {
                        for end in ends {
                            // Without an end event, the complete response must arrive, and NIO must report the end of
                            // the last read. GOAWAY is never the first frame.
                            guard
                                end != .nothing
                                    || count == complete.count && response != .untilClose
                                        && completions >> (count - 1) == 1,
                                end != .goAway || count > 0
                            else { continue }
                            for isReaderEarly in [true, false] {
                                orders.append(
                                    Order(
                                        response: response, isTLS: isTLS, reads: reads,
                                        completions: (0..<count).map { completions >> $0 & 1 == 1 }, end: end,
                                        isReaderEarly: isReaderEarly))
                            }
                        }
                    }
                }
            }
            return orders
        }
    }

    /// The outcome for the reader of the response.
    enum Outcome: Equatable {
        case body(String)
        case truncated(received: Int, expected: Int?)
        case lost
        case cancelled
        case other(String)

        init(_ error: any Error) {
            self =
                switch error {
                case TransportError.truncatedBody(_, let received, let expected):
                    .truncated(received: received, expected: expected)
                case TransportError.connectionLost: .lost
                case is CancellationError: .cancelled
                default: .other("\(error)")
                }
        }
    }

    private func isRight(_ outcome: Outcome, of order: Order) -> Bool {
        let expected = order.response == .length || order.response == .http2 ? 6 : nil
        return switch outcome {
        case .body(let text): order.isComplete && text == order.body
        case .cancelled: order.end == .cancellation
        case _ where order.isComplete || order.end == .cancellation: false
        case .truncated: order.arrived > 0 && outcome == .truncated(received: order.body.utf8.count, expected: expected)
        case .lost: order.arrived == 0
        case .other: false
        }
    }

    @Test(
        "A complete response is never reported as truncated, nor a truncated one as complete",
        arguments: Response.allCases)
    func plain(response: Response) async throws {
        for order in Order.all(of: response, isTLS: false) {
            let outcome = try await EventOrderScene(order, nil).run()
            #expect(isRight(outcome, of: order), "\(order) ended with \(outcome)")
        }
    }

    @Test(
        "TLS delivers every byte that arrived before the end of the connection",
        arguments: [Response.length, .untilClose, .http2])
    func tls(response: Response) async throws {
        let authority = try CertificateAuthority(name: "Orders", now: Date())
        let identity = try authority.issue(.server(names: ["localhost"]), now: Date())
        let server = try NIOSSLContext(configuration: LabTLS.configuration(presenting: identity))
        for order in Order.all(of: response, isTLS: true) {
            let outcome = try await EventOrderScene(order, server).run()
            #expect(isRight(outcome, of: order), "\(order) ended with \(outcome)")
        }
    }
}

/// An owner of a TLS connection that trusts every server.
private final class TrustingDelegate: TLSClientDelegate {
    func handshakeStarted(on channel: any Channel) -> TLSSession? { nil }
    func verify(_ credentials: TLSServerCredentials, promise: EventLoopPromise<Void>) { promise.succeed() }
    func selectIdentity(for request: TLSIdentityRequest, promise: EventLoopPromise<TLSIdentity?>) {
        promise.succeed(nil)
    }
    func sessionReceived(_ session: TLSSession) {}
    func handshakeEnded(_ result: Result<TLSConnectionFacts, any Error>, on channel: any Channel) {}
}

/// An in-memory connection on which the events of one order are played.
private struct EventOrderScene {
    private let order: EventOrderTests.Order
    private let channel = NIOAsyncTestingChannel()
    private let peer = NIOAsyncTestingChannel()
    private let context: NIOSSLContext?

    init(_ order: EventOrderTests.Order, _ context: NIOSSLContext?) { (self.order, self.context) = (order, context) }

    func run() async throws -> EventOrderTests.Outcome {
        let begin = try await open()
        let exchange = HTTPExchange(
            request: HTTPRequest(method: .get, scheme: "https", authority: "a.test", path: "/"), isAbsoluteForm: false,
            body: .complete(nil), limits: .init(), completion: { _ in })
        let isOver = channel.eventLoop.makePromise(of: Void.self)
        let reader = Task { [order] in
            let response = try await exchange.response { begin(exchange) }
            if !order.isReaderEarly { try? await isOver.futureResult.get() }
            return try await Self.text(of: response.body)
        }
        await channel.testingEventLoop.run()
        while try await !hasWritten() { await Task.yield() }
        try await play(cancel: { reader.cancel() })
        isOver.succeed()
        // Cancellation needs further turns of the event loop.
        let loop = Task { [channel] in
            while !Task.isCancelled {
                await channel.testingEventLoop.run()
                await Task.yield()
            }
        }
        defer { loop.cancel() }
        do {
            return .body(try await reader.value)
        } catch {
            return EventOrderTests.Outcome(error)
        }
    }

    private static func text(of body: IncomingBody) async throws -> String {
        switch body {
        case .complete(let buffer): return String(buffer: buffer)
        case .arriving(let queue):
            var text = ""
            while let part = try await queue.next() { text += String(buffer: part) }
            return text
        }
    }

    // MARK: The connection

    /// Opens the connection and returns a closure that starts an exchange.
    private func open() async throws -> @Sendable (HTTPExchange) -> Void {
        let failure = ChannelFailure(
            peer: .origin(HostEndpoint(host: try HostName("a.test"), port: 443)), record: PeerRecord())
        if context != nil {
            try await channel.testingEventLoop.executeInContext { [channel] in
                let engine = try TLSEngine(TLSClientSettings(serverName: nil))
                try channel.pipeline.syncOperations.addHandler(TLSClientHandler(engine, delegate: TrustingDelegate()))
            }
        }
        if let context {
            try await peer.testingEventLoop.executeInContext { [peer] in
                try peer.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
            }
        }
        let isHTTP2 = order.response == .http2
        let begin = try await channel.testingEventLoop.executeInContext {
            [channel] () throws -> @Sendable (HTTPExchange) -> Void in
            let watch = IdleMonitor(limit: .seconds(60), on: channel.eventLoop)
            if isHTTP2 {
                let handler = HTTP2ConnectionHandler(HTTP2Streams(), failure: failure, watch: watch)
                try channel.pipeline.syncOperations.addHandler(handler)
                let bound = NIOLoopBound(handler, eventLoop: channel.eventLoop)
                return { exchange in channel.eventLoop.execute { bound.value.begin(exchange) } }
            }
            let handler = HTTP1Handler(
                .carriageReturnLineFeed, failure: failure, watch: watch, eventLoop: channel.eventLoop)
            try channel.pipeline.syncOperations.addHandler(handler)
            let bound = NIOLoopBound(handler, eventLoop: channel.eventLoop)
            return { exchange in channel.eventLoop.execute { bound.value.begin(exchange) } }
        }
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 443))
        try await peer.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 443))
        var isShakingHands = context != nil
        while isShakingHands {
            let (isSent, isReceived) = (try await pass(channel, to: peer), try await pass(peer, to: channel))
            isShakingHands = isSent || isReceived
        }
        _ = try await hasWritten()
        return begin
    }

    private func pass(_ one: NIOAsyncTestingChannel, to other: NIOAsyncTestingChannel) async throws -> Bool {
        var hasPassed = false
        while let bytes = try await one.readOutbound(as: ByteBuffer.self) {
            try await other.writeInbound(bytes)
            hasPassed = true
        }
        return hasPassed
    }

    /// Returns whether the client has written anything since the last call.
    private func hasWritten() async throws -> Bool {
        await channel.testingEventLoop.run()
        var hasWritten = false
        while try await channel.readOutbound(as: ByteBuffer.self) != nil { hasWritten = true }
        return hasWritten
    }

    /// Returns the server's bytes as they appear on the wire.
    private func encrypted(_ bytes: [UInt8]) async throws -> [UInt8] {
        guard context != nil else { return bytes }
        try await peer.writeOutbound(ByteBuffer(bytes: bytes))
        return try await written()
    }

    private func written() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let buffer = try await peer.readOutbound(as: ByteBuffer.self) { bytes += Array(buffer: buffer) }
        return bytes
    }

    // MARK: The events

    private func play(cancel: @escaping @Sendable () -> Void) async throws {
        var parts: [[UInt8]] = []
        for part in order.response.parts.prefix(order.arrived) { parts.append(try await encrypted(part)) }
        var reads = order.reads.map { Array(parts[$0].joined()) }
        var farewell: [UInt8] = []
        if order.end == .goAway { farewell = try await encrypted([0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]) }
        if order.end == .notification || order.end == .goAway && order.isTLS {
            try await peer.testingEventLoop.executeInContext { [peer] in
                peer.pipeline.syncOperations.close(mode: .all, promise: nil)
            }
            farewell += try await written()
        }
        if reads.isEmpty { reads.append([]) }
        reads[reads.count - 1] += farewell
        for (read, isCompleted) in zip(reads, order.completions + [false]) where !read.isEmpty {
            try await channel.testingEventLoop.executeInContext { [channel] in
                channel.pipeline.syncOperations.fireChannelRead(NIOAny(ByteBuffer(bytes: read)))
                if isCompleted { channel.pipeline.syncOperations.fireChannelReadComplete() }
            }
        }
        try await end(cancel)
    }

    private func end(_ cancel: @escaping @Sendable () -> Void) async throws {
        let end = order.end
        if end == .cancellation { cancel() }
        try await channel.testingEventLoop.executeInContext { [channel] in
            let pipeline = channel.pipeline.syncOperations
            switch end {
            case .nothing, .cancellation: return
            case .close, .notification, .goAway: pipeline.fireChannelReadComplete()
            case .failedWrite: break
            case .reset: pipeline.fireErrorCaught(IOError(errnoCode: 104, reason: "reset"))
            }
            if channel.isActive { pipeline.fireChannelInactive() }
        }
    }
}
