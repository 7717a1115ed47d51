// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import EssentialFoundation
import X509

extension TrustFailure {
    /// An example value for each code.
    package static var examples: [TrustFailure] {
        guard let chain = ExampleChain() else { return [] }
        let (leaf, issuer, root) = (chain.leaf, chain.issuer, chain.root)
        let now = ExampleChain.now
        return [
            .unreadable(CertificateSummary(ParsedCertificate(unreadable: leaf.derBytes, .unsupportedKey("SM2")))),
            .selfSigned(root), .unknownRoot(root), .issuerNotFound(of: leaf), .expired(leaf, at: now),
            .notYetValid(leaf, at: leaf.notBefore - 86_400),
            .hostMismatch(host: "b.example", presented: ["a.example", "www.a.example"]),
            .noSubjectAlternativeNames(leaf),
            .pinMismatch(pins: [issuer.publicKeyPin], presented: [leaf.publicKeyPin]),
            .changed(RememberedServer(key: issuer.publicKeyPin, since: leaf.notBefore), presented: leaf.publicKeyPin),
            .badSignature(leaf, issuer: issuer), .notAnAuthority(issuer), .pathTooLong(root, allowed: 0, found: 1),
            .keyUsage(issuer, needed: ["keyCertSign"], found: ["digitalSignature"]),
            .extendedKeyUsage(leaf, needed: ["serverAuth"], found: ["clientAuth"]),
            .nameConstraints(leaf, name: "a.example", authority: issuer, constraint: "permitted: b.example"),
            .noValidPolicy(
                leaf, .notAllowed(found: [.domainValidated], allowed: [.extendedValidation]), requiredBy: issuer),
            .unknownCriticalExtension(leaf, "1.3.6.1.4.1.32473.1"),
            .malformedExtension(leaf, "2.5.29.17"), .weakSignature(leaf, "SHA-1"), .weakKey(root, bits: 1024),
            .unsupportedKey(leaf, UnsupportedAlgorithm("brainpoolP256r1", .trait)),
            .unsupportedSignatureAlgorithm(leaf, UnsupportedAlgorithm("SM2 with SM3", .unknown)),
            .distrusted(leaf),
            .nonconforming(issuer, .criticalBasicConstraints),
            .revoked(leaf, at: leaf.notAfter - 86_400, reason: .keyCompromise),
            .transparencyInsufficient(
                leaf,
                TransparencyShortfall(
                    reason: .tooFewLogs, rule: "chrome", logs: 1, neededLogs: 3, operators: 1, neededOperators: 2)),
            .revocationUnknown(leaf, .unknownToResponder), .badStaple(leaf, .outdated),
            .budgetExhausted(.signatureChecks, allowed: 67, met: 67),
        ]
    }
}

/// A root, an intermediate authority and a server certificate with fixed keys, so that texts about them never change.
package struct ExampleChain {
    /// A day after the end of the server certificate's validity: 2026-11-21 10:00 UTC.
    static let now = Date(timeIntervalSince1970: 1_795_255_200)

    let leaf: CertificateSummary
    let issuer: CertificateSummary
    let root: CertificateSummary

    /// The chain that the server presents.
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

    /// A verdict for a trusted server.
    package var trusted: Verdict { Verdict(host: "a.example", validation: .full) }

    /// Makes a certificate; the numbers select the keys of the subject and the issuer.
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
