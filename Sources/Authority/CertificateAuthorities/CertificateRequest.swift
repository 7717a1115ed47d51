// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
internal import CryptoExtras
internal import Encodings
public import ErrorExplanations
internal import Identities
internal import SwiftASN1
public import X509

/// A request for a certificate (PKCS#10, RFC 2986) whose signature and key were checked.
///
/// An authority does not copy the contents of a request into a certificate, but issues the contents of a
/// ``LeafProfile``.
public struct CertificateRequest: Sendable {
    /// The maximum size of a request in bytes.
    private static let maximumSize = 65_536
    private static let rsaKeyBits = 2_048...8_192
    private static let labels = ["CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST"]

    /// The key that signed the request.
    public let publicKey: Certificate.PublicKey
    /// The requested subject.
    public let subject: DistinguishedName
    /// The requested DNS names and IP addresses without duplicates: those among the common names, then the
    /// alternative names.
    ///
    /// A client may put a name in either field or in both (RFC 8555 section 7.4).
    public let names: [String]
    /// The requested e-mail addresses.
    public let mailboxes: [String]
    /// The DNS names and IP addresses among the alternative names.
    package let alternativeNames: [String]
    /// The common names that are DNS names or IP addresses.
    package let commonNames: [String]
    /// The first common name that is neither a DNS name nor an IP address, such as that of a person; `nil` if
    /// there is none.
    package let otherCommonName: String?

    /// Reads a request, and verifies its signature.
    ///
    /// - Parameter bytes: The request in PEM (RFC 7468 section 7) or DER, in at most 65,536 bytes.
    /// - Throws: ``CertificateRequestError``.
    public init(_ bytes: some Collection<UInt8>) throws(CertificateRequestError) {
        guard bytes.count <= Self.maximumSize else { throw .tooLarge }
        let request = try Self.parse(Array(bytes))
        guard request.publicKey.isValidSignature(request.signature, for: request) else { throw .wrongSignature }
        if let bits = _RSA.Signing.PublicKey(request.publicKey)?.keySizeInBits, !Self.rsaKeyBits.contains(bits) {
            throw .unsuitableKey(bits: bits)
        }
        let extensions = try Self.extensions(of: request)
        if case .isCertificateAuthority? = try? extensions.basicConstraints { throw .wantsAuthority }
        var (names, mailboxes) = ([String](), [String]())
        for name in try Self.alternativeNames(in: extensions) {
            switch name {
            case .rfc822Name(let mailbox) where Mailbox(mailbox) != nil: mailboxes.append(mailbox)
            case .dnsName, .ipAddress:
                guard let text = name.plainText, (try? AlternativeName(text)) != nil else {
                    throw .unusableName(name.text)
                }
                names.append(text)
            default: throw .unusableName(name.text)
            }
        }
        let commonNames = request.subject.commonNames.filter { !$0.isEmpty }
        self.commonNames = commonNames.compactMap { try? AlternativeName($0).generalName.plainText }
        otherCommonName = commonNames.first { (try? AlternativeName($0)) == nil }
        alternativeNames = names
        var known: Set<GeneralName> = []
        self.names = (self.commonNames + names).filter { text in
            (try? AlternativeName(text).generalName).map { known.insert($0).inserted } ?? false
        }
        (publicKey, subject, self.mailboxes) = (request.publicKey, request.subject, mailboxes)
    }

    /// Throws an error if a common name is neither a DNS name nor an IP address.
    ///
    /// - Throws: ``CertificateRequestError/unusableCommonName(_:)``.
    package func requireServerNames() throws(CertificateRequestError) {
        if let otherCommonName { throw .unusableCommonName(otherCommonName) }
    }

    private static func parse(_ bytes: [UInt8]) throws(CertificateRequestError) -> CertificateSigningRequest {
        var der = bytes
        if PEMBlock.isLikely(bytes) {
            guard let blocks = try? PEMBlock.blocks(in: bytes), let first = blocks.first else { throw .malformed }
            guard let block = blocks.first(where: { labels.contains($0.label) }) else {
                throw .otherContent(first.label)
            }
            der = block.der
        }
        guard let request = try? CertificateSigningRequest(derEncoded: der) else { throw .malformed }
        return request
    }

    private static func extensions(
        of request: CertificateSigningRequest
    ) throws(CertificateRequestError) -> Certificate.Extensions {
        let identifier = ASN1ObjectIdentifier.CSRAttributes.extensionRequest
        guard let attribute = request.attributes[oid: identifier] else { return Certificate.Extensions() }
        guard let wanted = try? ExtensionRequest(attribute) else { throw .malformed }
        return wanted.extensions
    }

    private static func alternativeNames(
        in extensions: Certificate.Extensions
    ) throws(CertificateRequestError) -> SubjectAlternativeNames {
        do {
            return try extensions.subjectAlternativeNames ?? SubjectAlternativeNames()
        } catch {
            throw .malformed
        }
    }

    /// Creates a request to another authority.
    ///
    /// - Parameters:
    ///   - profile: The requested contents of the certificate. The validity is ignored, because the other authority
    ///     decides on it.
    ///   - key: The key to certify, which signs the request.
    /// - Returns: The request in DER.
    /// - Throws: ``CertificateAuthorityError`` for a malformed name or a key that cannot sign, and the error
    ///   of the key.
    public static func encode(_ profile: LeafProfile, key: Certificate.PrivateKey) throws -> [UInt8] {
        let template = try CertificateTemplate(leaf: profile)
        let request = try CertificateSigningRequest(
            version: .v1, subject: template.subject, privateKey: key,
            attributes: .init([.init(ExtensionRequest(extensions: try template.requested))]),
            signatureAlgorithm: SigningAlgorithm(key.publicKey).signature)
        var serializer = DER.Serializer()
        try serializer.serialize(request)
        return serializer.serializedBytes
    }
}

/// The error of a certificate request that is refused.
@nonexhaustive
public enum CertificateRequestError: Error, Hashable, Sendable {
    /// The request is larger than 64 KiB.
    case tooLarge
    /// The bytes are not a PKCS#10 request, are truncated or damaged, or have an unsupported kind of key.
    case malformed
    /// The request is PEM with another label, such as CERTIFICATE. Holds the label.
    case otherContent(String)
    /// The request was not signed with the key that it contains, or was changed after signing.
    case wrongSignature
    /// The RSA key is shorter than 2,048 or longer than 8,192 bits.
    case unsuitableKey(bits: Int)
    /// The request is for the certificate of an authority.
    case wantsAuthority
    /// The request has a name that is malformed, or is neither a DNS name, IP address nor e-mail address. Holds a
    /// description of the name.
    case unusableName(String)
    /// The request for a server certificate has a common name that is neither a DNS name nor an IP address. Holds the
    /// common name.
    case unusableCommonName(String)
}

extension CertificateRequestError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .tooLarge:
            ErrorExplanation(
                "csr.too-large", "The certificate request has more than 64 KiB.",
                reason: "A request holds a key and some names, and is far smaller.", advice: "Give another file.")
        case .malformed:
            ErrorExplanation(
                "csr.malformed", "The certificate request cannot be read.",
                reason:
                    "It is not a PKCS#10 request in PEM or DER, is damaged, or has a key of another kind than RSA, ECDSA or Ed25519.",
                advice: "Create a new one.")
        case .otherContent(let label):
            ErrorExplanation(
                "csr.other-content", "The file holds \"\(label)\", not a certificate request.",
                reason: "A request begins with -----BEGIN CERTIFICATE REQUEST-----.", advice: "Give another file.")
        case .wrongSignature:
            ErrorExplanation(
                "csr.wrong-signature", "The certificate request is not signed with the key in it.",
                reason: "Its creator does not have the key, or it was changed after signing.",
                advice: "Ask its creator for a new request.")
        case .unsuitableKey(let bits):
            ErrorExplanation(
                "csr.unsuitable-key", "The RSA key of the certificate request has \(bits) bits.",
                reason: "Keys below 2,048 bits can be broken, and keys above 8,192 bits slow verification down.",
                advice: "Make a request with another key, preferably on P-256.")
        case .wantsAuthority:
            ErrorExplanation(
                "csr.wants-authority", "The certificate request asks for the certificate of an authority.",
                reason: "Its owner could issue certificates for any name.",
                advice: "If it is meant for a server or a client, create it again without basicConstraints CA:TRUE.")
        case .unusableName(let name):
            ErrorExplanation(
                "csr.unusable-name", "The certificate request asks for the name \(name).",
                reason: "Only DNS names, IP addresses and e-mail addresses are certified, and only well-formed ones.",
                advice: "Make a request without that name.")
        case .unusableCommonName(let name):
            ErrorExplanation(
                "csr.unusable-common-name",
                "The common name \"\(name)\" of the certificate request is not a DNS name or an IP address.",
                reason:
                    "The common name of a server is one of its names (RFC 8555 section 7.4): a DNS name in ASCII without a final dot, or an address without brackets.",
                advice: "Make a request without a common name, or with one of the server's names.")
        }
    }

    package static var examples: [Self] {
        [
            .tooLarge, .malformed, .otherContent("CERTIFICATE"), .wrongSignature, .unsuitableKey(bits: 16_384),
            .wantsAuthority, .unusableName("a b"), .unusableCommonName("My printer"),
        ]
    }
}
