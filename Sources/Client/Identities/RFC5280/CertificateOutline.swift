// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import SwiftASN1

/// As much of a certificate as it takes to say why swift-certificates does not read it (RFC 5280 section 4.1).
struct CertificateOutline {
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
