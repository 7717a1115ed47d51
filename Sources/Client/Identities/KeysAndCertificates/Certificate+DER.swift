// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import SwiftASN1
internal import X509

extension Certificate {
    /// Reads a certificate; if that fails, the error names an unsupported algorithm.
    static func read(der: [UInt8]) throws(IdentityError) -> Certificate {
        try BERWalk.check(der[...], as: .certificate)
        do {
            return try Certificate(derEncoded: der)
        } catch {
            guard let outline = try? CertificateOutline(der) else { throw .malformed(.certificate) }
            if let name = try? outline.unsupportedKey() { throw .unsupported(name) }
            if (error as? CertificateError)?.code == .unsupportedSignatureAlgorithm {
                throw .unsupported(outline.signatureName)
            }
            throw .malformed(.certificate)
        }
    }

    /// Checks that a certificate can be an anchor; the evaluation of trust knows more types of keys, and does not check
    /// its signature.
    static func check(anchor der: [UInt8]) throws(IdentityError) {
        do {
            _ = try read(der: der)
        } catch .unsupported {
            return
        }
    }

    /// Returns the subject of a certificate that may be unreadable; `nil` if it is empty or cannot be read.
    static func subject(_ der: [UInt8]) -> String? {
        guard let subject = try? CertificateOutline(der).subject, !subject.isEmpty else { return nil }
        return subject.description
    }

    /// Returns the certificate in DER, with its original bytes.
    func derEncoded() throws(IdentityError) -> [UInt8] {
        try DER.encode(.certificate) { try $0.serialize(self) }
    }
}

/// The parts of a certificate that explain why swift-certificates cannot read it, or that link it to its key and its
/// issuer (RFC 5280 section 4.1).
struct CertificateOutline {
    let subject: DistinguishedName
    private let signatureAlgorithm: Algorithm
    let encodedIssuer: [UInt8]
    let encodedSubject: [UInt8]
    let keyAlgorithm: Algorithm
    let key: [UInt8]

    init(_ der: [UInt8]) throws(IdentityError) {
        var certificate = try Fields(ber: der, of: .certificate)
        var contents = try Fields(try certificate.next(), of: .certificate)
        _ = contents.next(if: ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific))
        _ = try contents.next()  // serial number
        signatureAlgorithm = try contents.algorithm()
        encodedIssuer = Array(try contents.next().encodedBytes)
        _ = try contents.next()  // validity
        let name = try contents.next()
        encodedSubject = Array(name.encodedBytes)
        subject = (try? DistinguishedName(derEncoded: name)) ?? DistinguishedName()
        var keyInfo = try Fields(try contents.next(), of: .certificate)
        keyAlgorithm = try keyInfo.algorithm()
        key = try keyInfo.next().bits(.bitString, .certificate)
    }

    /// Returns the name of the key type if it is not supported.
    func unsupportedKey() throws(IdentityError) -> String? {
        switch keyAlgorithm.identifier {
        case .ed25519:
            return nil
        case .AlgorithmIdentifier.rsaEncryption:
            var numbers = try Fields(ber: key, of: .certificate)
            let bits = try RSAPrivateKey.bitCount(try numbers.next().integerBytes(.certificate))
            return RSAPrivateKey.supportedSizes.contains(bits) ? nil : "RSA-\(bits)"
        case .AlgorithmIdentifier.idEcPublicKey:
            guard let parameters = keyAlgorithm.parameters else { return nil }
            do {
                _ = try ECPrivateKey.Curve(parameters)
                return nil
            } catch .unsupported(let name) {
                return name
            }
        default:
            return keyAlgorithm.identifier.name
        }
    }

    /// The name of the signature algorithm.
    var signatureName: String { signatureAlgorithm.identifier.name }
}
