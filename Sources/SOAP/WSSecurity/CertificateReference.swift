// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import Encodings
internal import SwiftASN1
internal import X509
internal import XMLSignature

/// The kind of reference to a certificate in a message (X.509 Certificate Token Profile 1.1 section 3.2).
@nonexhaustive
public enum CertificateReference: Sendable, Hashable, CaseIterable {
    /// The header contains the certificate as a token.
    case token
    /// The header contains the certificate and its chain as one token.
    case path
    /// The message contains the issuer and the serial number.
    case issuerAndSerialNumber
    /// The message contains the subject key identifier; the SHA-1 hash of the key if the certificate has none.
    case subjectKeyIdentifier
    /// The message contains the SHA-1 hash of the certificate.
    case thumbprint

    /// Returns the token element; `nil` if this kind of reference needs none.
    func token(of certificates: [Certificate], identifier: String) throws(WSSecurityError) -> String? {
        guard let first = certificates.first else { throw .noCertificate }
        let (type, bytes): (String, [UInt8])
        switch self {
        case .token: (type, bytes) = (CertificateTokenURI.certificate, try first.derBytes)
        case .path: (type, bytes) = (CertificateTokenURI.path, try Self.path(certificates))
        case .issuerAndSerialNumber, .subjectKeyIdentifier, .thumbprint: return nil
        }
        return """
            <wsse:BinarySecurityToken EncodingType="\(CertificateTokenURI.base64)" ValueType="\(type)" \
            wsu:Id="\(identifier)">\(Base64.encode(bytes))</wsse:BinarySecurityToken>
            """
    }

    /// Returns the reference element for `KeyInfo`.
    func element(to certificate: Certificate, token identifier: String) throws(WSSecurityError) -> String {
        let reference =
            switch self {
            case .token: "<wsse:Reference URI=\"#\(identifier)\" ValueType=\"\(CertificateTokenURI.certificate)\"/>"
            case .path: "<wsse:Reference URI=\"#\(identifier)\" ValueType=\"\(CertificateTokenURI.path)\"/>"
            case .issuerAndSerialNumber:
                """
                <ds:X509Data xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509IssuerSerial><ds:X509IssuerName>\
                \(certificate.issuer.description.xmlEscaped)</ds:X509IssuerName><ds:X509SerialNumber>\
                \(certificate.serialNumber.decimal)</ds:X509SerialNumber></ds:X509IssuerSerial></ds:X509Data>
                """
            case .subjectKeyIdentifier:
                Self.keyIdentifier(certificate.keyIdentifier, type: CertificateTokenURI.subjectKeyIdentifier)
            case .thumbprint:
                Self.keyIdentifier(
                    Array(Insecure.SHA1.hash(data: try certificate.derBytes)), type: CertificateTokenURI.thumbprint)
            }
        return """
            <wsse:SecurityTokenReference xmlns:wsse="\(XMLName.securityNamespace)">\(reference)\
            </wsse:SecurityTokenReference>
            """
    }

    private static func keyIdentifier(_ bytes: [UInt8], type: String) -> String {
        """
        <wsse:KeyIdentifier EncodingType="\(CertificateTokenURI.base64)" ValueType="\(type)">\(Base64.encode(bytes))\
        </wsse:KeyIdentifier>
        """
    }

    /// Returns the certificates as a `PkiPath`, which begins with the certificate that the anchor issued.
    private static func path(_ certificates: [Certificate]) throws(WSSecurityError) -> [UInt8] {
        var writer = DER.Serializer()
        do {
            try writer.serializeSequenceOf(certificates.reversed())
        } catch { throw .unusableCertificate }
        return writer.serializedBytes
    }
}

extension Certificate {
    var derBytes: [UInt8] {
        get throws(WSSecurityError) {
            guard let bytes = try? serializeAsPEM().derBytes else { throw .unusableCertificate }
            return bytes
        }
    }

    /// The subject key identifier; the SHA-1 hash of the key if there is none (RFC 5280 section 4.2.1.2).
    var keyIdentifier: [UInt8] {
        if let identifier = try? extensions.subjectKeyIdentifier { return Array(identifier.keyIdentifier) }
        return Array(Insecure.SHA1.hash(data: publicKey.subjectPublicKeyInfoBytes))
    }
}

extension Certificate.SerialNumber {
    /// The decimal digits of the serial number.
    var decimal: String {
        var digits: [UInt8] = []
        for byte in bytes {
            var carry = Int(byte)
            for index in digits.indices {
                let value = Int(digits[index]) * 256 + carry
                (digits[index], carry) = (UInt8(value % 10), value / 10)
            }
            while carry > 0 {
                digits.append(UInt8(carry % 10))
                carry /= 10
            }
        }
        return digits.isEmpty ? "0" : String(decoding: digits.reversed().map { $0 + 0x30 }, as: UTF8.self)
    }
}
