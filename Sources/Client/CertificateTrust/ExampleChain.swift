// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A root, an intermediate authority and a server's certificate with fixed keys, so that texts about them are always the same.
package struct ExampleChain {
    /// A day after the end of the server's certificate: 2026-11-21 10:00 UTC.
    static let now = Date(timeIntervalSince1970: 1_795_255_200)

    let leaf: CertificateSummary
    let issuer: CertificateSummary
    let root: CertificateSummary

    /// What the server presents.
    package let presented: PresentedChain

    package init?() {
        do {
            root = try Self.certificate("Example Root", 1, by: "Example Root", 1, years: 20)
            issuer = try Self.certificate("Example Intermediate", 2, by: "Example Root", 1, years: 5)
            leaf = try Self.certificate("a.example", 3, by: "Example Intermediate", 2, years: 1)
        } catch {
            return nil
        }
        guard let presented = PresentedChain(derEncoded: [leaf.derBytes, issuer.derBytes]) else { return nil }
        self.presented = presented
    }

    /// The verdict on a server that is trusted.
    package var trusted: Verdict { Verdict(host: "a.example", validation: .full) }

    /// A certificate with the key of a number, signed with the key of another number.
    private static func certificate(
        _ subject: String, _ number: UInt8, by issuer: String, _ issuerNumber: UInt8, years: Double
    ) throws -> CertificateSummary {
        let end = now - 86_400
        return CertificateSummary(
            try Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(bytes: [number]),
                publicKey: Certificate.PublicKey(key(number).publicKey), notValidBefore: end - years * 365 * 86_400,
                notValidAfter: end, issuer: DistinguishedName { CommonName(issuer) },
                subject: DistinguishedName { CommonName(subject) }, signatureAlgorithm: .ecdsaWithSHA256,
                extensions: Certificate.Extensions(), issuerPrivateKey: Certificate.PrivateKey(key(issuerNumber))))
    }

    private static func key(_ number: UInt8) throws -> P256.Signing.PrivateKey {
        try P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: number, count: 32))
    }
}
