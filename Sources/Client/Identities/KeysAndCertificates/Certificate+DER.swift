// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import SwiftASN1
internal import X509

extension Certificate {
    /// Reads a certificate, and names what is not supported of one that cannot be read.
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

    /// Checks that a certificate can be an anchor: its key must be supported, and its own signature, which is not checked, may be by any algorithm.
    static func check(anchor der: [UInt8]) throws(IdentityError) {
        do {
            _ = try read(der: der)
        } catch .unsupported(let name) {
            guard let outline = try? CertificateOutline(der), outline.signatureName == name else {
                throw .unsupported(name)
            }
            if let key = try outline.unsupportedKey() { throw .unsupported(key) }
        }
    }

    /// The certificate in DER, as it was read.
    func derEncoded() throws(IdentityError) -> [UInt8] {
        try DER.encode(.certificate) { try $0.serialize(self) }
    }
}

/// As much of a certificate as it takes to say why swift-certificates does not read it (RFC 5280 section 4.1).
private struct CertificateOutline {
    private let signatureAlgorithm: Algorithm
    private let keyAlgorithm: Algorithm
    private let key: [UInt8]

    init(_ der: [UInt8]) throws(IdentityError) {
        var certificate = try Fields(ber: der, of: .certificate)
        var contents = try Fields(try certificate.next(), of: .certificate)
        _ = contents.next(if: ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific))
        _ = try contents.next()  // serial number
        signatureAlgorithm = try contents.algorithm()
        for _ in ["issuer", "validity", "subject"] { _ = try contents.next() }
        var keyInfo = try Fields(try contents.next(), of: .certificate)
        keyAlgorithm = try keyInfo.algorithm()
        key = try keyInfo.next().bits(.bitString, .certificate)
    }

    /// The name of the kind of key, where it is one that is not supported.
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

    /// The name of what the certificate is signed with.
    var signatureName: String { signatureAlgorithm.identifier.name }
}
