// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import SwiftASN1
import Synchronization
import X509

/// A certificate with all that a search asks of it, read once from its bytes.
///
/// What few searches ask for, such as its names in words, is read when it is asked for.
final class ParsedCertificate: Sendable {
    let encoded: EncodedCertificate
    /// `nil` only where the typed parser reads a certificate that this one does not; nothing is trusted then.
    let key: CertificateKey?
    let algorithm: CertificateSignatureAlgorithm
    /// A hash of the signature, worked out once because a search asks for it again and again.
    ///
    /// Where two agree, all bytes are compared.
    private let identity: Int
    let subject: NameKey
    let issuer: NameKey
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
    /// The first critical extension that no check of a path processes.
    let unprocessedCriticalExtension: String?
    /// The rules of form that it breaks as a leaf and as an issuer, a bit for each, once they were looked for.
    let broken = Mutex<(asLeaf: UInt32?, asIssuer: UInt32?)>((nil, nil))
    /// The certificates whose keys were found to have signed it, by all their bytes; a few, because cross-signing needs no more.
    private let signers = Mutex<[Signer]>([])
    private static let signerLimit = 4
    private let typed: Mutex<Certificate?>

    /// The bytes, which the certificate shares, and not the certificate: two may have signed each other.
    private struct Signer {
        let identity: Int
        let bytes: [UInt8]

        func isSame(as certificate: ParsedCertificate) -> Bool {
            identity == certificate.identity && bytes == certificate.bytes
        }
    }

    /// Reads a certificate.
    ///
    /// - Parameter derEncoded: The certificate in DER, and nothing after it.
    /// - Throws: ``CertificateEncodingError`` where it is malformed, or its key or signature is of an unknown kind.
    convenience init(derEncoded: [UInt8]) throws(CertificateEncodingError) {
        let encoded = try EncodedCertificate(derEncoded)
        guard let algorithm = CertificateSignatureAlgorithm(encoded.signatureAlgorithm),
            let key = try? CertificateKey(publicKeyInfo: encoded.fields.publicKeyInfo)
        else { throw CertificateEncodingError() }
        self.init(encoded, key, algorithm, nil)
    }

    /// Reads a certificate whose signature does not matter, such as an anchor's: an algorithm that is not known is never found good.
    convenience init(anchor derEncoded: [UInt8]) throws(CertificateEncodingError) {
        let encoded = try EncodedCertificate(derEncoded)
        guard let key = try? CertificateKey(publicKeyInfo: encoded.fields.publicKeyInfo) else {
            throw CertificateEncodingError()
        }
        let algorithm = CertificateSignatureAlgorithm(encoded.signatureAlgorithm)
        self.init(encoded, key, algorithm ?? .broken(Self.unknownAlgorithm), nil)
    }

    private static let unknownAlgorithm = "an unknown algorithm"

    /// Takes over a certificate that the typed parser has read.
    convenience init(_ certificate: Certificate) {
        let bytes = certificate.derBytes
        if let encoded = try? EncodedCertificate(bytes),
            let algorithm = CertificateSignatureAlgorithm(encoded.signatureAlgorithm),
            let key = CertificateKey(certificate.publicKey)
        {
            self.init(encoded, key, algorithm, certificate)
        } else {
            self.init(
                EncodedCertificate(unreadable: bytes, signedBytes: certificate.tbsCertificateBytes), nil,
                .broken(Self.unknownAlgorithm), certificate)
        }
    }

    private init(
        _ encoded: EncodedCertificate, _ key: CertificateKey?, _ algorithm: CertificateSignatureAlgorithm,
        _ typed: Certificate?
    ) {
        (self.encoded, self.key, self.algorithm) = (encoded, key, algorithm)
        self.typed = Mutex(typed)
        var hasher = Hasher()
        encoded.signature.withUnsafeBytes { hasher.combine(bytes: $0) }
        identity = hasher.finalize()
        subject = NameKey(encoded.fields.subject)
        issuer = NameKey(encoded.fields.issuer)
        basicConstraints = encoded.reading(.X509ExtensionID.basicConstraints, ExtensionNumber.basicConstraints) {
            try $0.basicConstraints()
        }
        keyUsage = encoded.reading(.X509ExtensionID.keyUsage, ExtensionNumber.keyUsage) { try $0.keyUsage() }
        extendedKeyUsage = encoded.reading(.X509ExtensionID.extendedKeyUsage, ExtensionNumber.extendedKeyUsage) {
            try $0.extendedKeyUsage()
        }
        alternativeNames = encoded.reading(.X509ExtensionID.subjectAlternativeName, ExtensionNumber.alternativeNames) {
            try $0.alternativeNames()
        }
        nameConstraints = encoded.reading(.X509ExtensionID.nameConstraints, ExtensionNumber.nameConstraints) {
            try NameConstraints($0.typed(.X509ExtensionID.nameConstraints))
        }
        subjectKey = encoded.reading(.X509ExtensionID.subjectKeyIdentifier, ExtensionNumber.subjectKeyIdentifier) {
            try $0.subjectKeyIdentifier()
        }
        authorityKey = encoded.reading(
            .X509ExtensionID.authorityKeyIdentifier, ExtensionNumber.authorityKeyIdentifier
        ) {
            try $0.authorityKeyIdentifier()
        }
        policies = PolicyExtensions(encoded)
        rsaSize = key?.rsaSize
        features = EncodedCertificate.reading(
            TLSFeatures.identifier, encoded.found(ExtensionNumber.features), TLSFeatures.read)
        unprocessedCriticalExtension = encoded.unprocessedCriticalExtension
    }

    /// As it was signed, with the signature.
    var bytes: [UInt8] { encoded.bytes }
    /// What is signed: two certificates with the same are the same to a reader, whatever their signatures.
    var signedBytes: ArraySlice<UInt8> { encoded.signedBytes }
    var fields: CertificateFields { encoded.fields }
    var notBefore: Date { encoded.notBefore }
    var notAfter: Date { encoded.notAfter }

    /// The certificate by the type of swift-certificates, made when it is first asked for; `nil` where that cannot read it.
    var certificate: Certificate? {
        typed.withLock { typed in
            if typed == nil { typed = try? Certificate(derEncoded: encoded.bytes) }
            return typed
        }
    }

    /// The subject in words.
    var subjectName: DistinguishedName { Self.name(fields.subject) }
    var issuerName: DistinguishedName { Self.name(fields.issuer) }

    /// A name whose form was checked can be read.
    private static func name(_ encoded: ArraySlice<UInt8>) -> DistinguishedName {
        (try? DistinguishedName(encoded, .issuer)) ?? DistinguishedName()
    }

    /// Whether an issuer's key made the signature: of the same two certificates that is true once and for all.
    func isSigned(by issuer: ParsedCertificate) -> Bool {
        if signers.withLock({ $0.contains { $0.isSame(as: issuer) } }) { return true }
        guard let key = issuer.key,
            key.isValidSignature(encoded.signature, for: encoded.signedBytes, by: algorithm)
        else { return false }
        signers.withLock { signers in
            if signers.count >= Self.signerLimit { signers.removeFirst() }
            signers.append(Signer(identity: issuer.identity, bytes: issuer.bytes))
        }
        return true
    }

    /// Whether its server has to send an OCSP response with it.
    var mustStaple: Bool { features.value?.contains(TLSFeatures.statusRequest) ?? false }

    var isSelfIssued: Bool { subject == issuer }

    var isAuthority: Bool {
        if case .isCertificateAuthority = basicConstraints.value { true } else { false }
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

extension EncodedCertificate {
    private static let processed: Set<UInt8> = [
        ExtensionNumber.basicConstraints, ExtensionNumber.keyUsage, ExtensionNumber.extendedKeyUsage,
        ExtensionNumber.alternativeNames, ExtensionNumber.nameConstraints, ExtensionNumber.certificatePolicies,
        ExtensionNumber.policyMappings, ExtensionNumber.policyConstraints, ExtensionNumber.inhibitAnyPolicy,
    ]

    /// The first critical extension that no check of a path processes (RFC 5280 section 4.2).
    fileprivate var unprocessedCriticalExtension: String? {
        extensions.first { one in
            guard one.isCritical else { return false }
            if let number = one.number { return !Self.processed.contains(number) }
            return !one.identifier.dropFirst(2).elementsEqual(ExtensionNumber.features)
        }?.name
    }
}

/// What a server has to answer a handshake with (RFC 7633).
enum TLSFeatures {
    static let identifier: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 1, 24]
    /// The TLS extension status_request.
    static let statusRequest: [UInt8] = [5]

    /// The TLS extensions that a server has to answer with (RFC 7633 section 4.2), by their numbers' encoding.
    static func read(_ found: EncodedExtension) throws(RevocationEncodingError) -> Set<[UInt8]> {
        var outer = DERReader(found.value)
        var features = try outer.open(DERTag.sequence, .extensions)
        try outer.finish(.extensions)
        var numbers: Set<[UInt8]> = []
        while !features.rest.isEmpty { numbers.insert(Array(try features.takeInteger(DERTag.integer, .extensions))) }
        guard !numbers.isEmpty else { throw .malformed(.extensions) }
        return numbers
    }
}

/// What no path of a search may contain, told by what is signed.
///
/// Anyone can make a second ECDSA signature out of a first one, so a certificate that is told by all its bytes would get around
/// distrust in it.
struct Distrust {
    private var signedBytes: [ArraySlice<UInt8>]

    init(_ certificates: Set<Certificate> = []) {
        signedBytes = certificates.map(\.tbsCertificateBytes)
    }

    func adding(_ subject: ParsedCertificate) -> Self {
        var copy = self
        copy.signedBytes.append(subject.signedBytes)
        return copy
    }

    func contains(_ certificate: ParsedCertificate) -> Bool {
        signedBytes.contains(certificate.signedBytes)
    }
}
