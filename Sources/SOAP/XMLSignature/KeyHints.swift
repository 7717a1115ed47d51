// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
internal import SwiftASN1
public import X509
public import XMLDocuments

/// The hints of a signature about its key (XML Signature 1.1 section 4.5).
///
/// The sender of a message chooses the hints, so they prove nothing: the caller decides which keys are trusted.
public struct KeyHints: Sendable {
    /// The key names (`KeyName`), in the order of the message.
    public private(set) var names: [String] = []
    /// The certificates, in the order of the message; 20 at most.
    public private(set) var certificates: [Certificate] = []
    /// The public keys in the message that are not in a certificate, in the order of the message.
    public private(set) var keys: [Certificate.PublicKey] = []

    /// Whether there are keys or certificates that cannot be used: of an unsupported kind, such as DSA and short RSA
    /// keys, or outside the document.
    private(set) var hasUnusable = false

    /// The maximum number of hints, certificates and keys to read, because their sender is not authenticated yet.
    private static let limit = 50
    private var read = 0

    /// Reads the hints of a signature in a document.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - path: The names from the root element down to the signature; empty, the default, if the document
    ///     has only one.
    ///   - limits: The limits of the document's size, depth and features.
    /// - Throws: ``XMLSignatureError`` if the document has no such signature, or a hint is malformed.
    public init(
        document: [UInt8], signature path: [XMLName] = [], limits: XMLLimits = XMLLimits()
    ) throws(XMLSignatureError) {
        let tree = try XMLTree.parse(document, limits: limits)
        defer { withExtendedLifetime(tree) {} }
        try self.init(tree.signature(at: path).child(.ds("KeyInfo")), IdentifierTable(tree))
    }

    /// Reads the hints of a `KeyInfo`; hints of an unknown kind are skipped.
    init(_ keyInfo: XMLElement?, _ identifiers: IdentifierTable) throws(XMLSignatureError) {
        for hint in keyInfo?.children ?? [] { try read(hint, identifiers, mayRefer: true) }
    }

    /// Reads tokens; tokens that are not certificates are skipped.
    package init(tokens: [XMLElement]) {
        for token in tokens { try? readToken(token) }
    }

    /// Counts one more item; returns `false` if the limit is exceeded.
    private mutating func counts() -> Bool {
        read += 1
        if read > Self.limit { hasUnusable = true }
        return read <= Self.limit
    }

    // A hint that was found through a reference must not contain further references.
    private mutating func read(
        _ hint: XMLElement, _ identifiers: IdentifierTable, mayRefer: Bool
    ) throws(XMLSignatureError) {
        guard counts() else { return }
        switch hint.name {
        case .ds("KeyName"): names.append(try hint.value)
        case .ds("X509Data"):
            for element in hint.children where element.name == .ds("X509Certificate") {
                guard counts() else { return }
                let bytes = try element.bytes
                add([try? Certificate(derEncoded: bytes)])
            }
        case .ds("KeyValue"):
            for value in hint.children where counts() { add(try Self.key(value)) }
        case .ds("RSAKeyValue"), .ecKeyValue: add(try Self.key(hint))
        case XMLName("DEREncodedKeyValue", in: XMLName.signature11Namespace):
            let bytes = try hint.bytes
            add((try? Certificate.PublicKey(derEncoded: bytes)) ?? Self.rsaKey { try $0.serialize(DER.parse(bytes)) })
        case .ds("RetrievalMethod") where mayRefer && hint.children.isEmpty,
            XMLName("KeyInfoReference", in: XMLName.signature11Namespace) where mayRefer:
            guard let uri = hint[XMLName("URI")], uri.first == "#", let element = identifiers[String(uri.dropFirst())]
            else { return hasUnusable = true }
            for part in element.name == .ds("KeyInfo") ? element.children : [element] {
                try read(part, identifiers, mayRefer: false)
            }
        case .wsse("SecurityTokenReference") where mayRefer:
            // References by issuer, key identifier or thumbprint name certificates that the verifier already has.
            for part in hint.children {
                guard part.name == .wsse("Reference") else {
                    try read(part, identifiers, mayRefer: false)
                    continue
                }
                guard let uri = part[XMLName("URI")], uri.first == "#", let token = identifiers[String(uri.dropFirst())]
                else { return hasUnusable = true }
                try read(token, identifiers, mayRefer: false)
            }
        case .wsse("Embedded"):
            for token in hint.children where token.name == .wsse("BinarySecurityToken") {
                try read(token, identifiers, mayRefer: false)
            }
        case .wsse("BinarySecurityToken"): try readToken(hint)
        default: break
        }
    }

    /// Reads a binary security token (X.509 Certificate Token Profile 1.1 section 3.1).
    private mutating func readToken(_ token: XMLElement) throws(XMLSignatureError) {
        guard token[XMLName("EncodingType")] ?? CertificateTokenURI.base64 == CertificateTokenURI.base64 else {
            return hasUnusable = true
        }
        let bytes = try token.bytes
        switch token[XMLName("ValueType")] {
        case CertificateTokenURI.certificate: add([try? Certificate(derEncoded: bytes)])
        case CertificateTokenURI.path:
            // The path begins with the certificate that the anchor issued, and ends with the signer's.
            let path = try? DER.sequence(of: Certificate.self, identifier: .sequence, rootNode: DER.parse(bytes))
            add(path?.reversed() ?? [nil])
        default: hasUnusable = true
        }
    }

    private mutating func add(_ others: [Certificate?]) {
        for certificate in others {
            guard let certificate else { return hasUnusable = true }
            guard certificates.count < 20 else { return }
            certificates.append(certificate)
        }
    }

    private mutating func add(_ key: Certificate.PublicKey?) {
        if let key { keys.append(key) } else { hasUnusable = true }
    }

    /// Returns an RSA key of 1,024 bits or more; messages of old systems use keys this short.
    private static func rsaKey(_ write: (inout DER.Serializer) throws -> Void) -> Certificate.PublicKey? {
        var writer = DER.Serializer()
        guard (try? write(&writer)) != nil,
            let key = try? _RSA.Signing.PublicKey(unsafeDERRepresentation: writer.serializedBytes)
        else { return nil }
        return Certificate.PublicKey(key)
    }

    private static func key(_ value: XMLElement) throws(XMLSignatureError) -> Certificate.PublicKey? {
        switch value.name {
        case .ds("RSAKeyValue"):
            let (modulus, exponent) = (try value.only(.ds("Modulus")).bytes, try value.only(.ds("Exponent")).bytes)
            return rsaKey { writer in
                try writer.appendConstructedNode(identifier: .sequence) { numbers in
                    for number in [modulus, exponent] { try numbers.serialize(unsigned: number) }
                }
            }
        case .ecKeyValue:
            let curve = try value.only(XMLName("NamedCurve", in: XMLName.signature11Namespace))[XMLName("URI")]
            let point = try value.only(XMLName("PublicKey", in: XMLName.signature11Namespace)).bytes
            return switch curve {
            case "urn:oid:1.2.840.10045.3.1.7":
                (try? P256.Signing.PublicKey(x963Representation: point)).map { Certificate.PublicKey($0) }
            case "urn:oid:1.3.132.0.34":
                (try? P384.Signing.PublicKey(x963Representation: point)).map { Certificate.PublicKey($0) }
            case "urn:oid:1.3.132.0.35":
                (try? P521.Signing.PublicKey(x963Representation: point)).map { Certificate.PublicKey($0) }
            default: nil
            }
        default: return nil
        }
    }
}

extension DER.Serializer {
    /// Writes an unsigned number given by its bytes, most significant first.
    fileprivate mutating func serialize(unsigned bytes: [UInt8]) throws {
        let digits = Array(bytes.drop { $0 == 0 })
        try serialize(ArraySlice((digits.first ?? 0x80) >= 0x80 ? [0] + digits : digits))
    }
}

extension XMLName {
    fileprivate static let ecKeyValue = XMLName("ECKeyValue", in: signature11Namespace)
}
