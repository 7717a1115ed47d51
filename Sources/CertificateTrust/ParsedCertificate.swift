// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CryptoExtras
import SwiftASN1
import Synchronization
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A certificate with all that a search asks of it, read once.
///
/// Evaluations of many chains under the same anchors then cost little more than their signatures.
final class ParsedCertificate: Sendable {
    let certificate: Certificate
    /// As it was signed, with the signature.
    let bytes: [UInt8]
    /// A hash of the bytes, worked out once because a search asks for it again and again.
    private let identity: Int
    let subject: NameKey
    let issuer: NameKey
    let notBefore: Date
    let notAfter: Date
    let fields: CertificateFields?
    let basicConstraints: ExtensionReading<BasicConstraints>
    let keyUsage: ExtensionReading<KeyUsage>
    let extendedKeyUsage: ExtensionReading<ExtendedKeyUsage>
    let alternativeNames: ExtensionReading<[GeneralName]>
    let nameConstraints: ExtensionReading<NameConstraints>
    let subjectKey: ExtensionReading<ArraySlice<UInt8>>
    let authorityKey: ExtensionReading<AuthorityKeyIdentifier>
    let policies: PolicyExtensions
    /// In bits; `nil` for other keys.
    let rsaSize: Int?
    /// What its server has to answer a handshake with (RFC 7633).
    let features: ExtensionReading<Set<[UInt8]>>
    /// The first critical extension that no check here processes.
    let unprocessedCriticalExtension: ASN1ObjectIdentifier?
    /// The rules of form that it breaks, by whether it stands at the leaf's place.
    let broken = Mutex<[Bool: [TrustFailure.Rule]]>([:])
    /// Those whose keys were found to have signed it; a few, because cross-signing needs no more.
    private let signers = Mutex<[Signer]>([])
    private static let signerLimit = 4

    /// Not held: two may have signed each other, and every root has signed itself.
    private struct Signer {
        weak var certificate: ParsedCertificate?
    }

    init(_ certificate: Certificate) {
        let extensions = certificate.extensions
        self.certificate = certificate
        bytes = certificate.derBytes
        var hasher = Hasher()
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        identity = hasher.finalize()
        fields = CertificateFields(certificate: bytes[...])
        subject = NameKey(fields?.subject ?? [])
        issuer = NameKey(fields?.issuer ?? [])
        notBefore = certificate.notValidBefore
        notAfter = certificate.notValidAfter
        basicConstraints = extensions.reading(.X509ExtensionID.basicConstraints, BasicConstraints.init)
        keyUsage = extensions.reading(.X509ExtensionID.keyUsage, KeyUsage.init)
        extendedKeyUsage = extensions.reading(.X509ExtensionID.extendedKeyUsage, ExtendedKeyUsage.init)
        alternativeNames = extensions.reading(.X509ExtensionID.subjectAlternativeName) {
            Array(try SubjectAlternativeNames($0))
        }
        nameConstraints = extensions.reading(.X509ExtensionID.nameConstraints, NameConstraints.init)
        subjectKey = extensions.reading(.X509ExtensionID.subjectKeyIdentifier) {
            try SubjectKeyIdentifier($0).keyIdentifier
        }
        authorityKey = extensions.reading(.X509ExtensionID.authorityKeyIdentifier, AuthorityKeyIdentifier.init)
        policies = PolicyExtensions(extensions)
        rsaSize = _RSA.Signing.PublicKey(certificate.publicKey)?.keySizeInBits
        features = extensions.reading(RevocationPointers.feature, RevocationPointers.features)
        unprocessedCriticalExtension = extensions.unprocessedCritical
    }

    /// Whether an issuer's key made the signature: of the same two certificates that is true once and for all.
    func isSigned(by issuer: ParsedCertificate) -> Bool {
        if signers.withLock({ $0.contains { $0.certificate === issuer } }) { return true }
        guard fillsItsSignature, issuer.certificate.publicKey.isValidSignature(certificate.signature, for: certificate)
        else {
            return false
        }
        signers.withLock { signers in
            signers.removeAll { $0.certificate == nil }
            if signers.count >= Self.signerLimit { signers.removeFirst() }
            signers.append(Signer(certificate: issuer))
        }
        return true
    }

    /// Whether the signature takes up whole octets (RFC 3279 section 2.2).
    ///
    /// swift-certificates 1 looks at that for Ed25519 only, and OpenSSL, GnuTLS and Go refuse the others too.
    private var fillsItsSignature: Bool {
        var outer = DERReader(bytes[...])
        guard var parts = outer.enter(DERTag.sequence), parts.next() != nil, parts.next() != nil,
            let signature = parts.next()
        else { return false }
        return signature.tag == DERTag.bitString && signature.content.first == 0
    }

    /// Whether its server has to send an OCSP response with it.
    var mustStaple: Bool { features.value?.contains(RevocationPointers.statusRequest) ?? false }

    var isSelfIssued: Bool { subject == issuer }

    var isAuthority: Bool {
        if case .isCertificateAuthority = basicConstraints.value { true } else { false }
    }

    var summary: CertificateSummary { CertificateSummary(self) }

    /// Reads an extension; one that cannot be read is a failure, not an absence.
    func require<Value>(_ reading: ExtensionReading<Value>) throws(TrustFailure) -> Value? {
        guard reading.isMalformed else { return reading.value }
        throw .malformedExtension(summary, "\(reading.identifier)")
    }
}

extension ParsedCertificate: Hashable {
    static func == (one: ParsedCertificate, other: ParsedCertificate) -> Bool {
        one === other || (one.identity == other.identity && one.bytes == other.bytes)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
    }
}
