// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Identities
import NIOCore
import NIOSSL
import SwiftASN1
import Synchronization
import X509

/// The TLS 1.3 configuration, with mutual authentication by certificate.
struct ControlTLS: Sendable {
    /// The chain that a peer presented, with the validation failure.
    final class Presented: Sendable {
        private let state = Mutex<(chain: PresentedChain?, failure: (any Error)?)>((nil, nil))

        var chain: PresentedChain? { state.withLock { $0.chain } }
        /// The error that makes the peer untrusted.
        var failure: (any Error)? { state.withLock { $0.failure } }

        fileprivate func note(_ chain: PresentedChain?, failure: (any Error)?) {
            state.withLock { $0 = (chain, failure) }
        }
    }

    let trust: TunnelTrust
    private let client: NIOSSLContext
    private let server: NIOSSLContext

    /// - Throws: A NIOSSL error if the identity is unusable.
    init(_ identity: Identity, trust: TunnelTrust) throws {
        self.trust = trust
        let chain = try identity.chain.map { certificate in
            NIOSSLCertificateSource.certificate(
                try NIOSSLCertificate(bytes: try certificate.serializeAsPEM().derBytes, format: .der))
        }
        let key = NIOSSLPrivateKeySource.privateKey(
            try NIOSSLPrivateKey(bytes: try identity.privateKey.serializeAsPEM().derBytes, format: .der))
        var configuration = TLSConfiguration.makeClientConfiguration()
        (configuration.certificateChain, configuration.privateKey) = (chain, key)
        client = try NIOSSLContext(configuration: Self.strict(configuration))
        server = try NIOSSLContext(
            configuration: Self.strict(.makeServerConfiguration(certificateChain: chain, privateKey: key)))
    }

    private static func strict(_ configuration: TLSConfiguration) -> TLSConfiguration {
        var configuration = configuration
        configuration.minimumTLSVersion = .tlsv13
        // The trust policy evaluates the chain, including the names. NIOSSL proves possession of the private key.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([])
        configuration.applicationProtocols = [ControlMessage.applicationProtocol]
        return configuration
    }

    /// Returns the TLS handler for an outgoing connection to a peer.
    func clientHandler(for host: String, _ presented: Presented) throws -> NIOSSLClientHandler {
        let isName = (try? HostName(host))?.isAddress == false
        return try NIOSSLClientHandler(
            context: client, serverHostname: isName ? host : nil,
            customVerificationCallback: verification(as: .server(host), called: host, presented))
    }

    /// Returns the TLS handler for an incoming connection from a peer.
    func serverHandler(for address: String, _ presented: Presented) -> NIOSSLServerHandler {
        NIOSSLServerHandler(
            context: server, customVerificationCallback: verification(as: .client, called: address, presented))
    }

    private func verification(
        as role: TunnelTrust.Role, called label: String, _ presented: Presented
    ) -> NIOSSLCustomVerificationCallback {
        { [trust] certificates, promise in
            do {
                let chain = PresentedChain(try certificates.map { try Certificate(derEncoded: try $0.toDERBytes()) })
                guard let chain else { throw TunnelError.malformedMessage("there is no certificate in its handshake") }
                try trust.check(chain, as: role, called: label)
                presented.note(chain, failure: nil)
                promise.succeed(.certificateVerified)
            } catch {
                presented.note(nil, failure: error)
                promise.succeed(.failed)
            }
        }
    }
}
