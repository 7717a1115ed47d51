// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Identities
import NIOCore
import NIOSSL
import SwiftASN1
import TLSServer
import X509

/// The TLS layer of a server.
enum LabTLS: Sendable {
    case nioSSL(NIOSSLContext)
    /// The layer of a server that sends a staple or timestamps, which NIOSSL cannot send.
    case boringSSL(TLSServerContext)

    init(
        for plan: LabServer.Kind.TLS, presenting identity: Identity, certificates: LabCertificates
    ) async throws {
        guard plan.staple == nil, !plan.sendsTimestamps else {
            var settings = TLSServerContext.Settings()
            if let staple = plan.staple { settings.staple = try await certificates.response(staple, for: identity) }
            if plan.sendsTimestamps { settings.timestamps = try certificates.timestamps(for: identity.certificate) }
            self = .boringSSL(try TLSServerContext(settings, identity: identity))
            return
        }
        self = .nioSSL(try Self.context(for: plan, presenting: identity, certificates: certificates))
    }

    /// Returns the handler of a connection.
    func handler() -> any ChannelHandler {
        switch self {
        case .nioSSL(let context): NIOSSLServerHandler(context: context)
        case .boringSSL(let context): TLSServerHandler(context)
        }
    }

    private static func context(
        for plan: LabServer.Kind.TLS, presenting identity: Identity, certificates: LabCertificates
    ) throws -> NIOSSLContext {
        var configuration = try configuration(presenting: identity)
        switch plan.clientCertificate {
        case .none: configuration.certificateVerification = .none
        case .wanted: configuration.certificateVerification = .optionalVerification
        case .required, .requiredOfOtherAuthority: configuration.certificateVerification = .noHostnameVerification
        }
        if plan.clientCertificate != .none {
            let issuer =
                plan.clientCertificate == .requiredOfOtherAuthority ? certificates.untrustedRoot : certificates.root
            configuration.trustRoots = .certificates([try nioSSL(issuer.certificate)])
            configuration.sendCANameList = true
        }
        if let version = plan.version?.nioSSL {
            (configuration.minimumTLSVersion, configuration.maximumTLSVersion) = (version, version)
        }
        return try NIOSSLContext(configuration: configuration)
    }

    static func configuration(presenting identity: Identity) throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try identity.chain.map { .certificate(try nioSSL($0)) },
            privateKey: .privateKey(
                try NIOSSLPrivateKey(bytes: identity.privateKey.serializeAsPEM().derBytes, format: .der)))
        configuration.applicationProtocols = ["http/1.1"]
        return configuration
    }

    /// Returns a configuration that requests, but does not require, a client certificate of one of the given
    /// authorities.
    static func configuration(
        presenting identity: Identity, naming authorities: [Certificate]
    ) throws -> TLSConfiguration {
        var configuration = try configuration(presenting: identity)
        configuration.certificateVerification = .optionalVerification
        configuration.trustRoots = .certificates(try authorities.map(nioSSL))
        configuration.sendCANameList = true
        return configuration
    }

    private static func nioSSL(_ certificate: Certificate) throws -> NIOSSLCertificate {
        try NIOSSLCertificate(bytes: certificate.serializeAsPEM().derBytes, format: .der)
    }
}

extension LabServer.Kind.TLS.Version {
    fileprivate var nioSSL: TLSVersion {
        switch self {
        case .tls10: .tlsv1
        case .tls11: .tlsv11
        case .tls12: .tlsv12
        case .tls13: .tlsv13
        }
    }
}
