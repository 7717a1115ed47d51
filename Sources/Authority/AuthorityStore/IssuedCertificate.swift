// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateAuthorities
package import CertificateTrust
package import EssentialFoundation
package import X509

/// A certificate that the authority has issued.
package struct IssuedCertificate: Sendable {
    package let certificate: Certificate
    /// The display name: the first name of a server, or the name of a client.
    package let name: String
    package let purpose: Purpose
    /// The time of the revocation; `nil` if the certificate is not revoked.
    package let revokedAt: Date?
    package let reason: RevocationReason?
    /// The serial number of the certificate that replaces this one.
    package let replacedBy: [UInt8]?
    /// The files of the certificate, to which a renewed certificate is written too.
    package let files: IssuedFiles?

    package enum Purpose: String, Sendable, Encodable {
        case server
        case client
        /// The authority's own OCSP responder.
        case responder
    }

    package var serial: [UInt8] { Array(certificate.serialNumber.bytes) }

    /// Returns whether the text is the display name or an alternative name of the certificate, in any case.
    package func isNamed(_ text: String) -> Bool {
        let profile = LeafProfile(of: certificate)
        let names = [name] + (profile?.names ?? []) + (profile?.mailboxes ?? [])
        return names.contains { $0.lowercased() == text.lowercased() }
    }

    package func state(at now: Date) -> State {
        if revokedAt != nil { return .revoked }
        if certificate.notValidAfter < now { return .expired }
        return replacedBy == nil ? .valid : .replaced
    }

    package enum State: String, Sendable, Encodable {
        case valid
        /// The certificate is still valid, but another one replaces it.
        case replaced
        case expired
        case revoked
    }
}

/// The files to which a certificate and its key are written.
package struct IssuedFiles: Codable, Hashable, Sendable {
    /// The path of the chain in PEM.
    package var chain: String
    /// The path of the key in PEM; `nil` if the authority does not have the key because the certificate was requested
    /// with a CSR.
    package var key: String?
    /// The command that runs after the files are replaced.
    package var hook: String?

    package init(chain: String, key: String?, hook: String?) {
        (self.chain, self.key, self.hook) = (chain, key, hook)
    }
}
