// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CertificateTrustNIOSSL
import ErrorExplanations
import Foundation
import Identities
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import TrustRecipes
import X509

/// A TLS server on loopback and its client, made with SwiftNIO alone.
///
/// The server sends the number of certificates in the client's verified path, and closes the connection.
struct TLSPeers: Sendable {
    var server: Identity
    var client: Identity?
    /// The verifier of the client; `nil` requests no client certificate.
    var clientVerifier: PeerVerifier?
    var maximumVersion = TLSVersion.tlsv13
    /// Receives the channel of the client before it connects.
    var opened: @Sendable (any Channel) -> Void = { _ in }

    /// Connects once.
    ///
    /// - Parameters:
    ///   - verifier: The verifier of the server.
    ///   - outcomes: Receives the outcome of the verification.
    /// - Returns: The text that the server sent.
    /// - Throws: The first error in the client's channel, which is the verifier's if it refuses the server.
    func connect(with verifier: PeerVerifier, noting outcomes: Outcomes = Outcomes()) async throws -> String {
        let serverContext = try NIOSSLContext(configuration: serverConfiguration())
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler =
                        if let clientVerifier {
                            NIOSSLServerHandler(
                                context: serverContext,
                                customVerificationCallbackWithMetadata: clientVerifier.callbackWithMetadata)
                        } else {
                            NIOSSLServerHandler(context: serverContext)
                        }
                    try channel.pipeline.syncOperations.addHandlers(handler, Greeter(handler))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let result: Result<String, any Error>
        do {
            let answer = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: String.self)
            let clientContext = try NIOSSLContext(configuration: clientConfiguration())
            let address = try listener.localAddress ?? SocketAddress(unixDomainSocketPath: "none")
            _ = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .channelInitializer { channel in
                    opened(channel)
                    return channel.eventLoop.makeCompletedFuture {
                        let verifier = verifier.reporting { outcome in
                            outcomes.note(outcome)
                            if case .failure(let error) = outcome { channel.pipeline.fireErrorCaught(error) }
                        }
                        let handler = try NIOSSLClientHandler(
                            context: clientContext, serverHostname: verifier.serverName,
                            customVerificationCallback: verifier.callback)
                        try channel.pipeline.syncOperations.addHandlers(handler, Collector(answer))
                    }
                }
                .connect(to: address).get()
            result = .success(try await answer.futureResult.get())
        } catch {
            result = .failure(error)
        }
        try await listener.close()
        return try result.get()
    }

    private func serverConfiguration() throws -> TLSConfiguration {
        let identity = try server.nioSSL()
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: identity.certificateChain, privateKey: identity.privateKey)
        configuration.maximumTLSVersion = maximumVersion
        guard clientVerifier != nil else { return configuration }
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([])
        return configuration
    }

    private func clientConfiguration() throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([])
        guard let client else { return configuration }
        (configuration.certificateChain, configuration.privateKey) = try client.nioSSL()
        return configuration
    }
}

/// A handler that sends one line when the handshake is complete.
private final class Greeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let handler: NIOSSLServerHandler

    init(_ handler: NIOSSLServerHandler) { self.handler = handler }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case TLSUserEvent.handshakeCompleted = event else { return }
        let count = handler.peerValidatedCertificateChain?.count ?? 0
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "\(count)")), promise: nil)
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// A handler that collects the received text until the connection ends.
private final class Collector: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let answer: EventLoopPromise<String>
    private var text = ""

    init(_ answer: EventLoopPromise<String>) { self.answer = answer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        text += String(buffer: unwrapInboundIn(data))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        answer.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { answer.succeed(text) }
}

/// The outcomes that a verifier reported, in order.
final class Outcomes: Sendable {
    private let box = NIOLockedValueBox<[PeerVerifier.Outcome]>([])

    var all: [PeerVerifier.Outcome] { box.withLockedValue { $0 } }

    /// The code of the last error; `nil` if the last outcome is a trusted chain, or none was reported.
    var code: String? {
        guard case .failure(let error) = all.last else { return nil }
        return error.code
    }

    func note(_ outcome: PeerVerifier.Outcome) { box.withLockedValue { $0.append(outcome) } }
}

extension Recipe {
    /// The recipe with a validity that contains the present.
    var validNow: Recipe { with { ($0.notBefore, $0.notAfter) = (Date() - 86400, Date() + 86400) } }
}

extension TestAuthority {
    static func valid(_ name: String) throws -> TestAuthority {
        try TestAuthority(root: Recipe.authority(name).validNow)
    }

    /// Issues an identity that is valid now.
    func identity(_ recipe: Recipe) throws -> Identity {
        let issued = try issue(recipe.validNow)
        return try Identity(chain: [issued.certificate], privateKey: .init(issued.key))
    }

    var policy: TrustPolicy { TrustPolicy(anchors: .only([certificate])) }
}
