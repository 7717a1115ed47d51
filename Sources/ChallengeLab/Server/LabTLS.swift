// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Identities
import NIOSSL
import SwiftASN1
import X509

/// A server's half of TLS.
enum LabTLS {
    static func context(for kind: LabServer.Kind, certificates: LabCertificates) throws -> NIOSSLContext {
        var configuration = try configuration(presenting: certificates.identity(of: kind))
        switch kind {
        case .clientCertificateRequired, .untrustedAndClientCertificateRequired:
            configuration.certificateVerification = .noHostnameVerification
        case .clientCertificateWanted:
            configuration.certificateVerification = .optionalVerification
        default:
            break
        }
        configuration.trustRoots = .certificates([try nioSSL(certificates.root)])
        configuration.sendCANameList = true
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

    /// Asks for a client certificate of one of some authorities, which it names, and serves also without.
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
