// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Countersign
import Crypto
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import TrustRecipes
import X509

/// A server on loopback with any chain, and beside it the places that certificates point to.
final class TrustScene: Sendable {
    /// What a place answers.
    enum Answer: Sendable {
        case body([UInt8])
        case status(Int)
        case never
    }

    struct Question: Sendable {
        let method: HTTPMethod
        let path: String
        let headers: HTTPHeaders
    }

    private let places: any Channel
    private let answers = NIOLockedValueBox<[String: Answer]>([:])
    private let asked = NIOLockedValueBox<[Question]>([])
    private let servers = NIOLockedValueBox<[any Channel]>([])

    private init(places: any Channel) {
        self.places = places
    }

    /// Every question that the places were asked, in order.
    var questions: [Question] { asked.withLockedValue { $0 } }

    /// Runs a body, and closes everything after it.
    static func with(_ body: (TrustScene) async throws -> Void) async throws {
        let box = NIOLockedValueBox<TrustScene?>(nil)
        let scene = TrustScene(
            places: try await listen { channel in
                channel.pipeline.configureHTTPServerPipeline().flatMapThrowing {
                    try channel.pipeline.syncOperations.addHandler(
                        PlaceHandler { question in
                            box.withLockedValue { $0 }?.answer(question) ?? .status(404)
                        })
                }
            })
        box.withLockedValue { $0 = scene }
        let result: Result<Void, any Error>
        do { result = .success(try await body(scene)) } catch { result = .failure(error) }
        for server in scene.servers.withLockedValue({ $0 }) { try await server.close() }
        try await scene.places.close()
        box.withLockedValue { $0 = nil }
        try result.get()
    }

    /// The URL of a place.
    func place(_ path: String) -> String { "http://localhost:\(places.localAddress?.port ?? 0)/\(path)" }

    /// Sets what places below a path answer.
    func answer(_ path: String, _ answer: Answer) { answers.withLockedValue { $0["/" + path] = answer } }

    /// Starts a server of https that presents a chain.
    func serve(_ leaf: TestAuthority, above: [Certificate] = []) async throws -> String {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try ([leaf.certificate] + above).map {
                .certificate(try NIOSSLCertificate(bytes: $0.bytes(), format: .der))
            },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(leaf.key.derRepresentation), format: .der)))
        configuration.applicationProtocols = ["http/1.1"]
        let context = try NIOSSLContext(configuration: configuration)
        let channel = try await Self.listen { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
            }.flatMap { channel.pipeline.configureHTTPServerPipeline() }.flatMapThrowing {
                try channel.pipeline.syncOperations.addHandler(PlaceHandler { _ in .body(Array("hello".utf8)) })
            }
        }
        servers.withLockedValue { $0.append(channel) }
        return "https://localhost:\(channel.localAddress?.port ?? 0)/"
    }

    private func answer(_ question: Question) -> Answer {
        asked.withLockedValue { $0.append(question) }
        return answers.withLockedValue { answers in
            answers.first { question.path.hasPrefix($0.key) }?.value ?? .status(404)
        }
    }

    private static func listen(
        _ initialize: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelInitializer(initialize)
            .bind(host: "127.0.0.1", port: 0).get()
    }
}

private final class PlaceHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let answer: (TrustScene.Question) -> TrustScene.Answer
    private var head: HTTPRequestHead?

    init(_ answer: @escaping (TrustScene.Question) -> TrustScene.Answer) {
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end:
            guard let head else { return }
            switch answer(.init(method: head.method, path: head.uri, headers: head.headers)) {
            case .body(let bytes): reply(context, .ok, bytes)
            case .status(let code): reply(context, .init(statusCode: code), [])
            case .never: break
            }
        }
    }

    private func reply(_ context: ChannelHandlerContext, _ status: HTTPResponseStatus, _ bytes: [UInt8]) {
        let headers: HTTPHeaders = ["content-length": "\(bytes.count)"]
        context.write(wrapOutboundOut(.head(.init(version: .http1_1, status: status, headers: headers))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
