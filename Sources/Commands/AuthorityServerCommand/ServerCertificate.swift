// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import AuthorityAccess
import AuthorityStore
import CertificateAuthorities
import EssentialFoundation
import Identities
import NIOCore
import NIOSSL
import X509

/// The certificate of the server itself.
///
/// The authority issues it at the start, and again when two thirds of its lifetime have passed.
actor ServerCertificate {
    private let open: OpenAuthority
    private let host: String
    private let clock: @Sendable () -> Date
    private var identity: Identity

    init(
        of host: String, issuedBy open: OpenAuthority, clock: @escaping @Sendable () -> Date = { Date() }
    ) async throws {
        (self.open, self.host, self.clock) = (open, host, clock)
        identity = try await Self.issue(for: host, by: open, now: clock())
    }

    /// Returns the configuration for TLS 1.2 and 1.3, which presents the current certificate.
    nonisolated func configuration() async throws -> TLSConfiguration {
        let first = try await current()
        guard let chain = first.certificateChain, let key = first.privateKey else { throw CancellationError() }
        var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: key)
        configuration.minimumTLSVersion = .tlsv12
        // The server waits this long after a client has closed its connection, because Hummingbird allows half-closed
        // connections. The wait must be shorter than the time until a signal ends the process.
        configuration.shutdownTimeout = .seconds(1)
        configuration.sslContextCallback = { _, promise in promise.completeWithTask { try await self.current() } }
        return configuration
    }

    private func current() async throws -> NIOSSLContextConfigurationOverride {
        let identity = try await currentIdentity()
        var result = NIOSSLContextConfigurationOverride()
        result.certificateChain = try identity.chain.map {
            .certificate(try NIOSSLCertificate(bytes: try $0.derRepresentation, format: .der))
        }
        result.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: try identity.pemEncodedPrivateKey, format: .pem))
        return result
    }

    func currentIdentity() async throws -> Identity {
        let (certificate, now) = (identity.certificate, clock())
        let rest = certificate.notValidAfter.timeIntervalSince(now)
        if rest < certificate.notValidAfter.timeIntervalSince(certificate.notValidBefore) / 3 {
            identity = try await Self.issue(for: host, by: open, now: now)
        }
        return identity
    }

    private static func issue(for host: String, by open: OpenAuthority, now: Date) async throws -> Identity {
        let profile = LeafProfile.server(names: [host], validity: .days(open.settings.leafDays))
        let identity = try open.authority.issue(profile, now: now)
        try await open.store.record(identity.certificate, name: "ACME server", purpose: .server, now: now)
        return identity
    }
}
