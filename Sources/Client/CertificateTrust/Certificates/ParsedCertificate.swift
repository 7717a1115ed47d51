// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import SwiftASN1
import Synchronization
import X509

/// A certificate with the values that a path search needs, parsed once from its bytes.
///
/// Rarely used values, such as the distinguished names, are parsed on demand.
final class ParsedCertificate: Sendable {
    let encoded: EncodedCertificate
    /// The reason why the certificate was not read; it then has the fields that can be read, and is not trusted.
    let problem: CertificateProblem?
    /// The public key, possibly of an unsupported type; `nil` only if the certificate was not read.
    let key: CertificateKey?
    let algorithm: CertificateSignatureAlgorithm
    /// The uses for which OpenSSL's settings trust an anchor; `nil` without such settings.
    let trust: AnchorTrust?
    /// A hash of the signature, computed once because a search compares certificates many times.
    ///
    /// If two hashes are equal, all bytes are compared.
    private let identity: Int
    let subject: NameKey
    let issuer: NameKey
    let basicConstraints: ExtensionReading<BasicConstraints>
    let keyUsage: ExtensionReading<KeyUsage>
    let extendedKeyUsage: ExtensionReading<ExtendedKeyUsage>
    let alternativeNames: ExtensionReading<[GeneralName]>
    let nameConstraints: ExtensionReading<NameSubtrees>
    let subjectKey: ExtensionReading<ArraySlice<UInt8>>
    let authorityKey: ExtensionReading<AuthorityKeyIdentifier>
    let policies: PolicyExtensions
    /// The size of an RSA key in bits; `nil` for other keys.
    let rsaSize: Int?
    /// The TLS extensions that the certificate's server must send in the handshake (RFC 7633).
    let features: ExtensionReading<Set<[UInt8]>>
    /// The deviations of the encoding and of the extensions that leave one meaning.
    let deviations: EncodingDeviations
    /// The object identifier of the first critical extension that path validation does not process.
    let unprocessedCriticalExtension: String?
    /// The form rules that the certificate breaks as a leaf and as an issuer, one bit for each; `nil` until checked.
    let broken = Mutex<(asLeaf: UInt64?, asIssuer: UInt64?)>((nil, nil))
    /// The issuers whose keys made the signature, compared by all their bytes; a few suffice for cross-signing.
    private let signers = Mutex<[Signer]>([])
    private static let signerLimit = 4
    private let typed: Mutex<Certificate?>

    /// An issuer, stored as bytes instead of an object, because two certificates
    /// may have signed each other and would form a reference cycle.
    private struct Signer {
        let identity: Int
        let bytes: [UInt8]

        func isSame(as certificate: ParsedCertificate) -> Bool {
            identity == certificate.identity && bytes == certificate.bytes
        }
    }

    /// Reads a certificate; its key and its signature may be of unsupported types.
    ///
    /// - Parameter derEncoded: The certificate in DER, without trailing bytes.
    /// - Throws: ``CertificateProblem`` if it is malformed.
    convenience init(derEncoded: [UInt8]) throws(CertificateProblem) {
        let encoded = try EncodedCertificate(derEncoded)
        let key = CertificateKey(publicKeyInfo: encoded.fields.publicKeyInfo)
        self.init(encoded, key, CertificateSignatureAlgorithm(encoded.signatureAlgorithm), nil)
    }

    /// Makes a placeholder for a certificate that was not read, with the fields that can be read.
    convenience init(unreadable derEncoded: [UInt8], _ problem: CertificateProblem) {
        self.init(
            EncodedCertificate(unreadable: derEncoded), nil, .broken(Self.unknownAlgorithm), nil, problem: problem)
    }

    /// Returns a certificate, or a placeholder if it cannot be read.
    static func outlining(_ derEncoded: [UInt8]) -> ParsedCertificate {
        do throws(CertificateProblem) {
            return try ParsedCertificate(derEncoded: derEncoded)
        } catch {
            return ParsedCertificate(unreadable: derEncoded, error)
        }
    }

    /// Reads a certificate whose signature is not checked, such as an anchor.
    ///
    /// - Parameter derEncoded: The certificate in DER, optionally followed by OpenSSL's trust settings.
    /// - Throws: ``CertificateProblem`` if one of them is malformed.
    convenience init(anchor derEncoded: [UInt8]) throws(CertificateProblem) {
        let (certificate, settings) = AnchorTrust.split(derEncoded)
        let encoded = try EncodedCertificate(certificate)
        self.init(
            encoded, CertificateKey(publicKeyInfo: encoded.fields.publicKeyInfo),
            CertificateSignatureAlgorithm(encoded.signatureAlgorithm), nil,
            trust: settings.isEmpty ? nil : try AnchorTrust(settings))
    }

    private static let unknownAlgorithm = "an unknown algorithm"

    /// Makes a certificate from one that swift-certificates has parsed.
    convenience init(_ certificate: Certificate) {
        let bytes = certificate.derBytes
        do throws(CertificateProblem) {
            let encoded = try EncodedCertificate(bytes)
            let key =
                CertificateKey(certificate.publicKey) ?? CertificateKey(publicKeyInfo: encoded.fields.publicKeyInfo)
            self.init(encoded, key, CertificateSignatureAlgorithm(encoded.signatureAlgorithm), certificate)
        } catch {
            self.init(
                EncodedCertificate(unreadable: bytes), nil, .broken(Self.unknownAlgorithm), certificate,
                problem: error)
        }
    }

    private init(
        _ encoded: EncodedCertificate, _ key: CertificateKey?, _ algorithm: CertificateSignatureAlgorithm,
        _ typed: Certificate?, trust: AnchorTrust? = nil, problem: CertificateProblem? = nil
    ) {
        self.problem = problem
        (self.encoded, self.key, self.algorithm) = (encoded, key, algorithm)
        self.trust = trust
        self.typed = Mutex(typed)
        var hasher = Hasher()
        encoded.signature.withUnsafeBytes { hasher.combine(bytes: $0) }
        identity = hasher.finalize()
        subject = NameKey(encoded.fields.subject)
        issuer = NameKey(encoded.fields.issuer)
        var deviations = encoded.deviations
        basicConstraints = encoded.reading(.X509ExtensionID.basicConstraints, ExtensionNumber.basicConstraints) {
            try $0.basicConstraints(&deviations)
        }
        keyUsage = encoded.reading(.X509ExtensionID.keyUsage, ExtensionNumber.keyUsage) {
            try $0.keyUsage(&deviations)
        }
        extendedKeyUsage = encoded.reading(.X509ExtensionID.extendedKeyUsage, ExtensionNumber.extendedKeyUsage) {
            try $0.extendedKeyUsage()
        }
        alternativeNames = encoded.reading(.X509ExtensionID.subjectAlternativeName, ExtensionNumber.alternativeNames) {
            try $0.alternativeNames()
        }
        nameConstraints = encoded.reading(.X509ExtensionID.nameConstraints, ExtensionNumber.nameConstraints) {
            try $0.nameConstraints(&deviations)
        }
        subjectKey = encoded.reading(.X509ExtensionID.subjectKeyIdentifier, ExtensionNumber.subjectKeyIdentifier) {
            try $0.subjectKeyIdentifier()
        }
        authorityKey = encoded.reading(
            .X509ExtensionID.authorityKeyIdentifier, ExtensionNumber.authorityKeyIdentifier
        ) {
            try $0.authorityKeyIdentifier()
        }
        policies = PolicyExtensions(encoded, &deviations)
        rsaSize = key?.rsaSize
        features = EncodedCertificate.reading(
            TLSFeatures.identifier, encoded.found(ExtensionNumber.features)
        ) {
            try TLSFeatures.read($0, &deviations)
        }
        self.deviations = deviations
        unprocessedCriticalExtension = encoded.unprocessedCriticalExtension
    }

    /// The complete certificate, including the signature.
    var bytes: [UInt8] { encoded.bytes }
    /// The TBSCertificate, which identifies a certificate independently of its signature.
    var signedBytes: ArraySlice<UInt8> { encoded.signedBytes }
    var fields: CertificateFields { encoded.fields }
    var notBefore: Date { encoded.notBefore }
    var notAfter: Date { encoded.notAfter }

    /// The certificate as a swift-certificates type, made on first access; `nil` if that library cannot read it.
    var certificate: Certificate? {
        typed.withLock { typed in
            if typed == nil { typed = try? Certificate(derEncoded: encoded.bytes) }
            return typed
        }
    }

    /// Whether the certificate has no signature by its own statement (RFC 9925), as the form of an anchor's name and key.
    var isUnsigned: Bool {
        encoded.signature.isEmpty && encoded.signatureAlgorithm.elementsEqual(PlainAnchor.unsignedAlgorithm)
    }

    /// The subject as a distinguished name.
    var subjectName: DistinguishedName { Self.name(fields.subject) }
    var issuerName: DistinguishedName { Self.name(fields.issuer) }

    /// Parses a name, whose form was checked before; attributes that swift-certificates cannot read are omitted.
    private static func name(_ encoded: ArraySlice<UInt8>) -> DistinguishedName {
        if let name = try? DistinguishedName(encoded, .issuer) { return name }
        var (outer, relativeNames) = (DERReader(encoded), [RelativeDistinguishedName]())
        var names = outer.enter(DERTag.sequence)
        while var attributes = names?.enter(DERTag.set) {
            var values: [RelativeDistinguishedName.Attribute] = []
            while let attribute = attributes.next() {
                if let value = try? RelativeDistinguishedName.Attribute(derEncoded: attribute.bytes) {
                    values.append(value)
                }
            }
            relativeNames.append(RelativeDistinguishedName(values))
        }
        return DistinguishedName(relativeNames)
    }

    /// Returns whether an issuer's key made the signature; a positive result is cached, because it cannot change.
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

    /// Whether the server must staple an OCSP response.
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

    /// The extensions that restrict no path, which are processed even if they are critical.
    private static let informational: Set<UInt8> = [
        ExtensionNumber.subjectKeyIdentifier, ExtensionNumber.authorityKeyIdentifier,
        ExtensionNumber.issuerAlternativeNames, ExtensionNumber.distributionPoints,
    ]

    /// The object identifier of the first critical extension that path validation does not process (RFC 5280 section
    /// 4.2).
    fileprivate var unprocessedCriticalExtension: String? {
        extensions.first { one in
            guard one.isCritical, !isInformation(one) else { return false }
            if let number = one.number { return !Self.processed.contains(number) }
            return !one.identifier.dropFirst(2).elementsEqual(ExtensionNumber.features)
        }?.name
    }

    /// The object identifier of the first critical extension that restricts no path; `nil` if there is none.
    var criticalInformation: String? { extensions.first { $0.isCritical && isInformation($0) }?.name }

    private func isInformation(_ one: EncodedExtension) -> Bool {
        if let number = one.number { return Self.informational.contains(number) }
        let identifier = one.identifier.dropFirst(2)
        let known = [
            ExtensionNumber.authorityInformation, ExtensionNumber.subjectInformation, ExtensionNumber.noCheck,
        ]
        return known.contains(where: identifier.elementsEqual)
            || identifier.elementsEqual(ExtensionNumber.applicationPolicies) && allowsAllPurposes(one)
    }

    /// Returns whether application policies, which Microsoft's authorities write beside an extended key usage, contain
    /// all its purposes, so that they restrict nothing further.
    private func allowsAllPurposes(_ policies: EncodedExtension) -> Bool {
        guard let purposes = found(ExtensionNumber.extendedKeyUsage) else { return false }
        var (outer, listed) = (DERReader(policies.value), Set<ArraySlice<UInt8>>())
        guard var list = outer.enter(DERTag.sequence), outer.isAtEnd else { return false }
        while !list.isAtEnd {
            guard var policy = list.enter(DERTag.sequence), let identifier = policy.next() else { return false }
            listed.insert(identifier.content)
        }
        var value = DERReader(purposes.value)
        guard var needed = value.enter(DERTag.sequence), value.isAtEnd else { return false }
        while !needed.isAtEnd {
            guard let purpose = needed.next(), listed.contains(purpose.content) else { return false }
        }
        return true
    }
}

/// The TLS features extension (RFC 7633), which lists the TLS extensions that a server must send.
enum TLSFeatures {
    static let identifier: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 1, 24]
    /// The TLS extension status_request.
    static let statusRequest: [UInt8] = [5]

    /// Reads the TLS extensions that a server must send (RFC 7633 section 4.2), as the content octets of their numbers.
    static func read(
        _ found: EncodedExtension, _ deviations: inout EncodingDeviations
    ) throws(RevocationEncodingError) -> Set<[UInt8]> {
        var outer = DERReader(found.value)
        var features = try outer.open(DERTag.sequence, .extensions)
        try outer.finish(.extensions)
        var numbers: Set<[UInt8]> = []
        while !features.rest.isEmpty { numbers.insert(Array(try features.takeInteger(DERTag.integer, .extensions))) }
        if numbers.isEmpty { deviations.insert(.emptySequences) }
        return numbers
    }
}

/// The certificates that no path may contain, identified by their signed bytes.
///
/// Anyone can derive a second valid ECDSA signature from a first one, so comparing all bytes of a certificate would
/// allow it to evade distrust.
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
