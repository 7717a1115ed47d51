// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Secrets
internal import SwiftASN1

/// A certificate chain and the private key of its leaf, of a type that ``Identity`` cannot hold: RSASSA-PSS (RFC 4055),
/// Ed448 (RFC 8410), a curve of RFC 5639, or RSA with less than 2048 bits.
///
/// It authenticates a TLS client, with a TLS library that has the type; except for RSA, that is OpenSSL.
public struct EncodedIdentity: Sendable {
    /// The certificates in DER: the leaf, its issuers, and other certificates from the same file; never empty.
    public let chain: [[UInt8]]
    /// The type of the key, such as `RSASSA-PSS`, `Ed448` or `brainpoolP256r1`.
    public let keyType: String
    /// The key in DER, as PKCS #8, PKCS #1 or SEC 1.
    package let privateKey: Secret
    private let key: EncodedKey.Identification

    /// Reads an identity from one file: certificates and key in PEM, or PKCS#12.
    ///
    /// - Parameters:
    ///   - bytes: The file's contents, at most 8 MiB.
    ///   - passphrase: The passphrase of an encrypted key or a PKCS#12 file; `nil` for none.
    /// - Returns: The identity of the first key with a certificate.
    /// - Throws: ``IdentityError/passphraseNeeded``, ``IdentityError/wrongPassphrase``, and every other
    ///   ``IdentityError``.
    public static func read(
        _ bytes: some Collection<UInt8>, passphrase: Secret? = nil
    ) throws(IdentityError) -> EncodedIdentity {
        let items = try EncodedItem.items(inAnyFile: Array(bytes)).map(\.item)
        for case .pkcs12(let der) in items {
            let reader = try SafeReader(encodedContentsOf: PFX(der), passphrase: passphrase)
            let keys = reader.encodedKeys.map(EncodedItem.privateKey)
            return try EncodedIdentity(reader.encodedCertificates, keys: keys, passphrase: nil)
        }
        return try EncodedIdentity(try items.allCertificates(), keys: items, passphrase: passphrase)
    }

    /// Reads a pair of PEM files.
    ///
    /// - Parameters:
    ///   - certificates: The leaf and its issuers, in any order.
    ///   - privateKey: The leaf's key.
    ///   - passphrase: The passphrase of an encrypted key; `nil` for none.
    /// - Throws: ``IdentityError``.
    public init(
        pemCertificates certificates: some Collection<UInt8>, privateKey: some Collection<UInt8>,
        passphrase: Secret? = nil
    ) throws(IdentityError) {
        try self.init(
            EncodedItem.items(in: Array(certificates)).allCertificates(),
            keys: EncodedItem.items(in: Array(privateKey)), passphrase: passphrase)
    }

    /// Pairs the first key that matches a certificate with that certificate.
    private init(_ certificates: [[UInt8]], keys: [EncodedItem], passphrase: Secret?) throws(IdentityError) {
        let outlines = certificates.compactMap { der in (try? CertificateOutline(der)).map { (der, $0) } }
        guard !outlines.isEmpty else { throw .noCertificate }
        var (budget, problem) = (WorkBudget(), IdentityError.noPrivateKey)
        for item in keys {
            do throws(IdentityError) {
                guard let key = try item.encodedKey(passphrase: passphrase, budget: &budget) else { continue }
                problem = .unsupported(key.identification.name)
                guard let index = outlines.firstIndex(where: { key.identification.matches($0.1) }) else { continue }
                (chain, keyType) = (Self.chain(from: index, outlines), key.identification.name)
                (privateKey, self.key) = (Secret(utf8: key.der), key.identification)
                return
            } catch {
                guard ![.passphraseNeeded, .wrongPassphrase].contains(error) else { throw error }
                problem = error
            }
        }
        throw problem
    }

    /// The maximum number of issuers that are put in order.
    private static let maximumIssuerCount = 16

    /// Returns the leaf, its issuers by name, and the other certificates in the order of the file.
    private static func chain(from leaf: Int, _ outlines: [([UInt8], CertificateOutline)]) -> [[UInt8]] {
        var (others, last) = (outlines, outlines[leaf].1)
        var chain = [others.remove(at: leaf).0]
        while chain.count <= maximumIssuerCount, last.encodedIssuer != last.encodedSubject,
            let index = others.firstIndex(where: { $0.1.encodedSubject == last.encodedIssuer })
        {
            let (der, outline) = others.remove(at: index)
            chain.append(der)
            last = outline
        }
        return chain + others.map(\.0)
    }

    /// Returns whether the key can sign the handshake with one of a server's algorithms.
    ///
    /// - Parameters:
    ///   - schemes: The algorithms of the server.
    ///   - isTLS13: Whether the version is TLS 1.3, in which the curves of RFC 5639 have algorithms of their own (RFC
    ///     8734), and other ones of ECDSA have a curve.
    /// - Returns: Whether they have an algorithm in common.
    package func canSign(with schemes: [TLSSignatureScheme], isTLS13: Bool) -> Bool {
        let usable: Set<UInt16> =
            switch key.kind {
            case .pss: [0x0809, 0x080A, 0x080B]
            case .ed448: [0x0808]
            case .curve: isTLS13 ? [0x081A, 0x081B, 0x081C] : [0x0203, 0x0403, 0x0503, 0x0603]
            case .rsa: isTLS13 ? [0x0804, 0x0805] : [0x0201, 0x0401, 0x0501, 0x0601, 0x0804, 0x0805]
            }
        return schemes.contains { usable.contains($0.rawValue) }
    }
}

extension EncodedIdentity: Hashable {
    /// Compares chains only, the leaf of which contains the public key of the private key.
    public static func == (left: Self, right: Self) -> Bool { left.chain == right.chain }

    /// Hashes the leaf only.
    public func hash(into hasher: inout Hasher) { hasher.combine(chain.first) }
}

extension EncodedIdentity: CustomStringConvertible, CustomReflectable {
    /// The type of the key, without any part of the key.
    public var description: String { "EncodedIdentity(\(keyType))" }

    /// A mirror with only the chain, so that `dump` does not reveal the key.
    public var customMirror: Mirror { Mirror(self, children: ["chain": chain]) }
}

/// An identity of either type, as a client presents it.
package enum PresentedIdentity: Hashable, Sendable {
    case identity(Identity)
    case encoded(EncodedIdentity)
}

/// A private key of any type, not decoded.
struct EncodedKey {
    enum Kind {
        case pss, ed448, curve, rsa
    }

    /// The properties by which the certificate of a key is found.
    struct Identification {
        let kind: Kind
        let name: String
        private let algorithm: ASN1ObjectIdentifier
        private let curve: ASN1ObjectIdentifier?
        /// The public key in the key's encoding, or the modulus of RSA; `nil` if the encoding has none.
        private let publicKey: [UInt8]?

        init(
            _ kind: Kind, name: String, _ algorithm: ASN1ObjectIdentifier, curve: ASN1ObjectIdentifier? = nil,
            publicKey: [UInt8]?
        ) {
            (self.kind, self.name, self.algorithm) = (kind, name, algorithm)
            (self.curve, self.publicKey) = (curve, publicKey)
        }

        /// Returns whether a certificate has the key, as far as the encoding shows it; the TLS library compares the
        /// rest.
        func matches(_ certificate: CertificateOutline) -> Bool {
            guard certificate.keyAlgorithm.identifier == algorithm else { return false }
            switch kind {
            case .pss, .rsa:
                var numbers = try? Fields(ber: certificate.key, of: .certificate)
                return (try? numbers?.next().integerBytes(.certificate)).map { $0.elementsEqual(publicKey ?? []) }
                    ?? false
            case .ed448: return publicKey.map { $0 == certificate.key } ?? true
            case .curve:
                let named = certificate.keyAlgorithm.parameters.flatMap { try? ASN1ObjectIdentifier(derEncoded: $0) }
                return named == curve && publicKey.map { $0 == certificate.key } ?? true
            }
        }
    }

    let der: [UInt8]
    let identification: Identification

    /// Reads an unencrypted PKCS #8 key (RFC 5958 section 2).
    init(_ der: [UInt8]) throws(IdentityError) {
        self.der = der
        var fields = try Fields(ber: der, of: .privateKey)
        guard (0...1).contains(try fields.integer()) else { throw .malformed(.privateKey) }
        let algorithm = try fields.algorithm()
        let content = try fields.octets()
        _ = fields.next(if: ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific))
        let tag = ASN1Identifier(tagWithNumber: 1, tagClass: .contextSpecific)
        let publicKey = try fields.next(if: tag)?.bits(tag, .privateKey)
        switch algorithm.identifier {
        case .pss, .AlgorithmIdentifier.rsaEncryption:
            identification = try Self.rsa(content, algorithm.identifier)
        case .ed448:
            identification = Identification(.ed448, name: "Ed448", .ed448, publicKey: publicKey)
        case .AlgorithmIdentifier.idEcPublicKey:
            identification = try Self.curve(content, algorithm.parameters)
        default: throw algorithm.unsupported
        }
    }

    /// Reads a SEC 1 key (RFC 5915 section 3).
    init(sec1 der: [UInt8]) throws(IdentityError) {
        self.der = der
        identification = try Self.curve(der, nil)
    }

    /// Reads a PKCS #1 key (RFC 8017 appendix A.1.2).
    init(pkcs1 der: [UInt8]) throws(IdentityError) {
        self.der = der
        identification = try Self.rsa(der, .AlgorithmIdentifier.rsaEncryption)
    }

    private static func rsa(
        _ content: [UInt8], _ algorithm: ASN1ObjectIdentifier
    ) throws(IdentityError) -> Identification {
        var numbers = try Fields(ber: content, of: .privateKey)
        guard try numbers.integer() == 0 else { throw .malformed(.privateKey) }
        let modulus = try numbers.next().integerBytes(.privateKey)
        let name = algorithm == .pss ? "RSASSA-PSS" : "RSA-\(try RSAPrivateKey.bitCount(modulus))"
        return Identification(algorithm == .pss ? .pss : .rsa, name: name, algorithm, publicKey: Array(modulus))
    }

    private static func curve(_ content: [UInt8], _ outer: ASN1Node?) throws(IdentityError) -> Identification {
        var fields = try Fields(ber: content, of: .privateKey)
        guard try fields.integer() == 1 else { throw .malformed(.privateKey) }
        _ = try fields.octets()
        let inner = try fields.explicitIfAny(0)
        let point = try fields.explicitIfAny(1)?.bits(.bitString, .privateKey)
        guard let parameters = outer ?? inner, let name = try? ASN1ObjectIdentifier(derEncoded: parameters) else {
            throw .unsupported("explicit curve parameters")
        }
        return Identification(
            .curve, name: name.name, .AlgorithmIdentifier.idEcPublicKey, curve: name, publicKey: point)
    }
}

extension [EncodedItem] {
    /// Returns all certificates in DER.
    fileprivate func allCertificates() throws(IdentityError) -> [[UInt8]] {
        var certificates: [[UInt8]] = []
        let place = EncodedItem.Place(position: 1, count: 1, line: nil)
        for item in self { certificates += try item.encodedCertificates(at: place).map(\.der) }
        return certificates
    }
}

extension EncodedItem {
    /// Returns the key in the item, decrypted but not decoded; `nil` if the item is not a private key.
    fileprivate func encodedKey(
        passphrase: Secret?, budget: inout WorkBudget
    ) throws(IdentityError) -> EncodedKey? {
        switch self {
        case .privateKey(let der): return try EncodedKey(der)
        case .ecPrivateKey(let der): return try EncodedKey(sec1: der)
        case .rsaPrivateKey(let der): return try EncodedKey(pkcs1: der)
        default:
            guard let plain = try decrypted(passphrase: passphrase, budget: &budget) else { return nil }
            return try plain.encodedKey(passphrase: nil, budget: &budget)
        }
    }
}
