// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEServers
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import SwiftASN1
import X509

/// Validates `tls-alpn-01` challenges (RFC 8737).
struct TLSValidator: ChallengeValidator {
    /// The port, which is 443 except in tests.
    let port: Int

    var kinds: Set<ACMEChallenge.Kind> { [.tlsALPN01] }

    func validate(_ task: ValidationTask) async throws -> ValidationOutcome {
        let place = "\(task.identifier.value) port \(port)"
        let handshake: Handshake
        do {
            handshake = try await performHandshake(with: task.identifier)
        } catch let error as NIOSSLError {
            return .invalid(.tls, "The TLS handshake with \(place) failed: \(error)")
        } catch {
            return .invalid(.connection, "\(place) could not be connected to.")
        }
        guard handshake.negotiated == ValidationCertificate.applicationProtocol else {
            return .invalid(.unauthorized, "\(place) does not support acme-tls/1.")
        }
        guard let certificate = handshake.certificate,
            ValidationCertificate.proves(task.authorization, in: certificate, for: task.identifier)
        else {
            return .invalid(.unauthorized, "The certificate of \(place) does not prove the key authorization.")
        }
        return .valid
    }

    private func performHandshake(with identifier: ACMEIdentifier) async throws -> Handshake {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.applicationProtocols = [ValidationCertificate.applicationProtocol]
        configuration.minimumTLSVersion = .tlsv12
        // The certificate for an IP address does not contain the requested name (RFC 8738 section 6).
        configuration.certificateVerification = .noHostnameVerification
        do {
            return try await performHandshake(with: identifier, configuration)
        } catch let error as NIOSSLError {
            // Some clients present an RSA key whose certificate allows key encipherment but not signatures, which
            // BoringSSL refuses.
            configuration.maximumTLSVersion = .tlsv12
            configuration.cipherSuiteValues = [.TLS_RSA_WITH_AES_128_GCM_SHA256, .TLS_RSA_WITH_AES_256_GCM_SHA384]
            guard let handshake = try? await performHandshake(with: identifier, configuration) else { throw error }
            return handshake
        }
    }

    private func performHandshake(
        with identifier: ACMEIdentifier, _ configuration: TLSConfiguration
    ) async throws -> Handshake {
        let context = try NIOSSLContext(configuration: configuration)
        let limit = TimeAmount(ChallengeValidators.timeout)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: Handshake.self)
        let connection = ClientBootstrap(group: loop)
            .connectTimeout(limit)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    // The issuer does not matter, because validate(_:) checks the certificate.
                    let handler = try NIOSSLClientHandler(
                        context: context, serverHostname: ValidationCertificate.serverName(for: identifier),
                        customVerificationCallback: { _, promise in promise.succeed(.certificateVerified) })
                    try channel.pipeline.syncOperations.addHandlers(handler, HandshakeHandler(promise, within: limit))
                }
            }
            .connect(host: identifier.value, port: port)
        connection.whenFailure { promise.fail($0) }
        defer { connection.whenSuccess { $0.close(promise: nil) } }
        return try await promise.futureResult.get()
    }

    /// The result of a handshake.
    private struct Handshake {
        let negotiated: String?
        let certificate: Certificate?
    }

    /// Waits for the end of a handshake.
    private final class HandshakeHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let promise: EventLoopPromise<Handshake>
        private let limit: TimeAmount

        init(_ promise: EventLoopPromise<Handshake>, within limit: TimeAmount) {
            (self.promise, self.limit) = (promise, limit)
        }

        func handlerAdded(context: ChannelHandlerContext) {
            let (promise, limit) = (promise, limit)
            let timeout = context.eventLoop.scheduleTask(in: limit) { promise.fail(ChannelError.connectTimeout(limit)) }
            promise.futureResult.whenComplete { _ in timeout.cancel() }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            guard case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent else { return }
            let der = try? context.pipeline.syncOperations.nioSSL_peerCertificate()?.toDERBytes()
            let certificate = try? der.map { try Certificate(derEncoded: $0) }
            promise.succeed(Handshake(negotiated: negotiated, certificate: certificate))
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { promise.fail(error) }

        func channelInactive(context: ChannelHandlerContext) { promise.fail(ChannelError.eof) }
    }
}
