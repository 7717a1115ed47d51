// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthority
import CertificateTrust
import Countersign
import Identities
import NIOConcurrencyHelpers
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import SwiftASN1
import Testing
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A server of HTTP/2 on loopback whose every step a closure decides.
final class HTTP2Server: Sendable {
    struct Request: Sendable {
        let headers: HPACKHeaders
        let body: [UInt8]
        /// The first is 1.
        let connection: Int
        /// Of all requests of the server; the first is 1.
        let number: Int

        var path: String { headers.first(name: ":path") ?? "" }
    }

    enum Action: Sendable {
        case respond(Int, [(String, String)] = [], body: [UInt8] = [])
        /// Sends the head of a response whose body is still to come.
        case head(Int)
        /// Ends the response with the body of the request, once that has arrived.
        case echo
        case reset(NIOHTTP2.HTTP2ErrorCode)
        /// No stream after this one's predecessor is served, so this request was not.
        case goAwayBefore
        /// This stream is the last.
        case goAwayAfter
        case close
        /// Nothing is read from the connection any more, and it stays open: as if the server were gone without a word.
        case fallSilent
        /// Reads again.
        case listen
        /// Waits for so many requests to be there.
        case awaitRequests(Int)
    }

    typealias Script = @Sendable (Request) -> [Action]

    let authority: Certificate
    private let channel: any Channel
    private let counts: Counts

    final class Counts: Sendable {
        let connections = NIOLockedValueBox<[any Channel]>([])
        let requests = NIOLockedValueBox(0)
        let waiting = NIOLockedValueBox<[(Int, @Sendable () -> Void)]>([])

        func nextRequest() -> Int {
            let (number, due) = requests.withLockedValue { count in
                count += 1
                let now = count
                return (
                    now,
                    waiting.withLockedValue { waiting in
                        defer { waiting.removeAll { $0.0 <= now } }
                        return waiting.filter { $0.0 <= now }.map(\.1)
                    }
                )
            }
            due.forEach { $0() }
            return number
        }

        func wait(for number: Int, then body: @escaping @Sendable () -> Void) {
            let isThere = requests.withLockedValue { count in
                if count < number { waiting.withLockedValue { $0.append((number, body)) } }
                return count >= number
            }
            if isThere { body() }
        }
    }

    var port: Int { channel.localAddress?.port ?? 0 }
    var url: String { "https://localhost:\(port)/" }
    var connectionCount: Int { counts.connections.withLockedValue(\.count) }
    var openConnectionCount: Int { counts.connections.withLockedValue { $0.count { $0.isActive } } }
    var requestCount: Int { counts.requests.withLockedValue { $0 } }

    private init(authority: Certificate, channel: any Channel, counts: Counts) {
        (self.authority, self.channel, self.counts) = (authority, channel, counts)
    }

    /// Starts a server with a certificate of its own authority unless it is given another, which asks for those of clients if told whose.
    ///
    /// It answers a request that is there whole, or one whose head is.
    static func start(
        offering protocols: [String] = ["h2"], settings: HTTP2Settings = [], presenting presented: Identity? = nil,
        naming clients: Certificate? = nil, answersEarly: Bool = false, _ script: @escaping Script
    ) async throws -> HTTP2Server {
        let authority = try CertificateAuthority(name: "HTTP/2 Root", now: Date())
        let identity = try presented ?? authority.issue(.server(names: ["localhost"]), now: Date())
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try identity.chain.map {
                .certificate(try NIOSSLCertificate(bytes: $0.serializeAsPEM().derBytes, format: .der))
            },
            privateKey: .privateKey(
                try NIOSSLPrivateKey(bytes: identity.privateKey.serializeAsPEM().derBytes, format: .der)))
        configuration.applicationProtocols = protocols
        if let clients {
            configuration.certificateVerification = .optionalVerification
            configuration.trustRoots = .certificates([
                try NIOSSLCertificate(bytes: clients.serializeAsPEM().derBytes, format: .der)
            ])
        }
        let context = try NIOSSLContext(configuration: configuration)
        let counts = Counts()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                let number = counts.connections.withLockedValue { connections in
                    connections.append(channel)
                    return connections.count
                }
                return channel.eventLoop.makeCompletedFuture {
                    var connection = NIOHTTP2Handler.ConnectionConfiguration()
                    connection.initialSettings += settings
                    let handler = NIOHTTP2Handler(
                        mode: .server, eventLoop: channel.eventLoop, connectionConfiguration: connection
                    ) { stream in
                        stream.eventLoop.makeCompletedFuture {
                            try stream.pipeline.syncOperations.addHandler(
                                StreamHandler(
                                    connection: number, counts: counts, answersEarly: answersEarly, script: script))
                        }
                    }
                    try channel.pipeline.syncOperations.addHandlers(
                        SilenceGate(), NIOSSLServerHandler(context: context), handler, ErrorHandler())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return HTTP2Server(authority: authority.certificate, channel: channel, counts: counts)
    }

    func stop() async {
        try? await channel.close()
        for connection in counts.connections.withLockedValue({ $0 }) { try? await connection.close() }
    }
}

/// Nobody listens to what goes wrong with a connection; the client shows it.
private final class ErrorHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

private final class StreamHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let connection: Int
    private let counts: HTTP2Server.Counts
    private let answersEarly: Bool
    private let script: HTTP2Server.Script
    private var headers = HPACKHeaders()
    private var body: [UInt8] = []
    private var hasEnded = false
    /// What is done when the request has ended.
    private var echo: (() -> Void)?

    init(connection: Int, counts: HTTP2Server.Counts, answersEarly: Bool, script: @escaping HTTP2Server.Script) {
        (self.connection, self.counts, self.answersEarly, self.script) = (connection, counts, answersEarly, script)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let frame):
            (headers, hasEnded) = (frame.headers, frame.endStream)
            if frame.endStream || answersEarly { serve(context) }
        case .data(let frame):
            if case .byteBuffer(let buffer) = frame.data { body += Array(buffer.readableBytesView) }
            guard frame.endStream else { return }
            hasEnded = true
            if !answersEarly { serve(context) }
            echo?()
            echo = nil
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {}

    private func serve(_ context: ChannelHandlerContext) {
        let request = HTTP2Server.Request(
            headers: headers, body: body, connection: connection, number: counts.nextRequest())
        perform(script(request)[...], context)
    }

    private func setSilent(_ isSilent: Bool, _ context: ChannelHandlerContext) {
        guard let connection = context.channel.parent else { return }
        connection.setOption(.autoRead, value: !isSilent).whenFailure { Issue.record($0) }
        do {
            let pipeline = connection.pipeline.syncOperations
            try pipeline.handler(type: SilenceGate.self).setSilent(isSilent, in: pipeline)
        } catch {
            Issue.record(error)
        }
    }

    private func perform(_ actions: ArraySlice<HTTP2Server.Action>, _ context: ChannelHandlerContext) {
        guard let action = actions.first else { return }
        let rest = actions.dropFirst()
        switch action {
        case .respond(let status, let fields, let body):
            let headers = HPACKHeaders([(":status", "\(status)")] + fields)
            context.write(wrapOutboundOut(.headers(.init(headers: headers, endStream: body.isEmpty))), promise: nil)
            if !body.isEmpty {
                context.write(
                    wrapOutboundOut(.data(.init(data: .byteBuffer(ByteBuffer(bytes: body)), endStream: true))),
                    promise: nil)
            }
            context.flush()
        case .head(let status):
            let headers = HPACKHeaders([(":status", "\(status)")])
            context.writeAndFlush(wrapOutboundOut(.headers(.init(headers: headers, endStream: false))), promise: nil)
        case .echo:
            guard hasEnded else {
                echo = { self.perform(actions, context) }
                return
            }
            context.writeAndFlush(
                wrapOutboundOut(.data(.init(data: .byteBuffer(ByteBuffer(bytes: body)), endStream: true))),
                promise: nil)
        case .reset(let code):
            context.writeAndFlush(wrapOutboundOut(.rstStream(code)), promise: nil)
        case .goAwayBefore, .goAwayAfter:
            guard let parent = context.channel.parent, let options = context.channel.syncOptions,
                let id = try? options.getOption(HTTP2StreamChannelOptions.streamID)
            else { return }
            var last = Int(id)
            if case .goAwayBefore = action { last = max(0, last - 2) }
            parent.writeAndFlush(
                HTTP2Frame(
                    streamID: .rootStream,
                    payload: .goAway(lastStreamID: HTTP2StreamID(last), errorCode: .noError, opaqueData: nil)),
                promise: nil)
        case .close:
            context.channel.parent?.close(promise: nil)
        case .fallSilent:
            setSilent(true, context)
        case .listen:
            setSilent(false, context)
        case .awaitRequests(let number):
            let this = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            counts.wait(for: number) {
                this.eventLoop.execute { this.value.0.perform(rest, this.value.1) }
            }
            return
        }
        perform(rest, context)
    }
}

/// Lets through nothing that arrives while the server is silent: a read that was asked for before still comes.
private final class SilenceGate: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var held: [ByteBuffer] = []
    private var isSilent = false

    func setSilent(_ isSilent: Bool, in pipeline: ChannelPipeline.SynchronousOperations) throws {
        self.isSilent = isSilent
        if !isSilent { release(try pipeline.context(handler: self)) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isSilent { held.append(unwrapInboundIn(data)) } else { context.fireChannelRead(data) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        release(context)
        context.fireChannelInactive()
    }

    private func release(_ context: ChannelHandlerContext) {
        for buffer in held { context.fireChannelRead(wrapInboundOut(buffer)) }
        if !held.isEmpty { context.fireChannelReadComplete() }
        held = []
    }
}

/// A session that trusts a server of HTTP/2, for the length of a closure.
func withHTTP2(
    offering protocols: [String] = ["h2"], settings: HTTP2Settings = [], answersEarly: Bool = false,
    change: (inout Session.Configuration) -> Void = { _ in }, script: @escaping HTTP2Server.Script,
    _ body: (HTTP2Server, Session) async throws -> Void
) async throws {
    let server = try await HTTP2Server.start(
        offering: protocols, settings: settings, answersEarly: answersEarly, script)
    var configuration = Session.Configuration(trust: TrustPolicy(anchors: .only([server.authority])))
    change(&configuration)
    let result: Result<Void, any Error>
    do {
        try await withSession(configuration) { session in try await body(server, session) }
        result = .success(())
    } catch { result = .failure(error) }
    await server.stop()
    try result.get()
}
