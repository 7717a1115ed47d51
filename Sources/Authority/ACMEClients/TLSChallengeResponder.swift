// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ACME
internal import CertificateTrust
internal import Crypto
internal import EssentialFoundation
internal import NIOConcurrencyHelpers
internal import NIOCore
internal import NIOSSL
internal import NIOTLS
internal import X509

/// A responder that listens on a port and answers `tls-alpn-01` challenges (RFC 8737).
public final class TLSChallengeResponder: ChallengeResponder {
    private typealias Contexts = NIOLockedValueBox<[String: NIOSSLContext]>

    private let contexts: Contexts
    private let channel: any Channel

    private init(_ contexts: Contexts, _ channel: any Channel) { (self.contexts, self.channel) = (contexts, channel) }

    /// The kind of the challenges: `tls-alpn-01`.
    public var kind: ACMEChallenge.Kind { .tlsALPN01 }

    /// The port on which the responder listens.
    public var port: Int { channel.localAddress?.port ?? 0 }

    /// Starts a responder.
    ///
    /// - Parameters:
    ///   - address: The address to listen on. The default is every IPv4 address of the computer.
    ///   - port: The port, 0 to 65535. Authorities connect to port 443, the default. With 0, the system chooses a port.
    /// - Returns: The responder, which listens until ``close()`` is called.
    /// - Throws: SwiftNIO's error, such as `IOError`, if the address and the port cannot be bound.
    public static func start(address: String = "0.0.0.0", port: Int = 443) async throws -> TLSChallengeResponder {
        let contexts = Contexts([:])
        let channel = try await ConnectionLimit().listen(address, port) { channel in
            try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(sniHandler(channel, contexts)))
        }
        return TLSChallengeResponder(contexts, channel)
    }

    /// Selects the certificate by the SNI name that the authority sends, and closes the connection if there is no
    /// certificate for it.
    private static func sniHandler(_ channel: any Channel, _ contexts: Contexts) -> SNIHandler {
        SNIHandler { result in
            guard case .hostname(let name) = result,
                let context = contexts.withLockedValue({ $0[name.lowercased()] })
            else { return channel.close() }
            return channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                try channel.pipeline.syncOperations.addHandler(ClosingHandler())
            }
        }
    }

    /// Makes the server present a self-signed certificate with the proof to clients that request the identifier's name.
    ///
    /// - Parameter proof: The proof.
    /// - Throws: The errors of X509 and NIOSSL if the certificate cannot be made.
    public func present(_ proof: ChallengeProof) async throws {
        let key = P256.Signing.PrivateKey()
        let certificate = try ValidationCertificate.make(
            for: proof.identifier, proving: proof.authorization, key: Certificate.PrivateKey(key), now: Date())
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try NIOSSLCertificate(bytes: certificate.derBytes, format: .der))],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.derRepresentation), format: .der)))
        configuration.applicationProtocols = [ValidationCertificate.applicationProtocol]
        let context = try NIOSSLContext(configuration: configuration)
        contexts.withLockedValue { $0[ValidationCertificate.serverName(for: proof.identifier)] = context }
    }

    /// Makes the server close connections that request the identifier's name.
    ///
    /// - Parameter proof: The proof.
    public func withdraw(_ proof: ChallengeProof) async {
        contexts.withLockedValue { $0[ValidationCertificate.serverName(for: proof.identifier)] = nil }
    }

    /// Stops listening; open connections end within 20 seconds.
    public func close() async { try? await channel.close() }
}

/// A handler that closes a connection after its handshake: the validation needs no data (RFC 8737 section 3).
private final class ClosingHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
