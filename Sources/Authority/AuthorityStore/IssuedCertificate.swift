// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateAuthority
package import CertificateTrust
package import EssentialFoundation
package import X509

/// A certificate that the authority has issued.
package struct IssuedCertificate: Sendable {
    package let certificate: Certificate
    /// What a person calls it: the first name of a server, the name of a client.
    package let name: String
    package let purpose: Purpose
    /// When it was revoked; `nil` while it is not.
    package let revokedAt: Date?
    package let reason: RevocationReason?
    /// The serial number of the certificate that was issued in its place.
    package let replacedBy: [UInt8]?
    /// Where it was written, so that it can be renewed there.
    package let files: IssuedFiles?

    package enum Purpose: String, Sendable, Encodable {
        case server
        case client
        /// The authority's own OCSP responder.
        case responder
    }

    package var serial: [UInt8] { Array(certificate.serialNumber.bytes) }

    /// Whether a name is what a person calls the certificate, or one of its alternative names.
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
        /// Valid still, but another certificate was issued in its place.
        case replaced
        case expired
        case revoked
    }
}

/// Where a certificate and its key were written.
package struct IssuedFiles: Codable, Hashable, Sendable {
    /// The chain as PEM.
    package var chain: String
    /// The key as PEM; `nil` where the key stayed with who asked for the certificate.
    package var key: String?
    /// What is run after both were replaced.
    package var hook: String?

    package init(chain: String, key: String?, hook: String?) {
        (self.chain, self.key, self.hook) = (chain, key, hook)
    }
}
