// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Encodings
package import XMLDocuments
internal import XMLSignature

/// A parsed `EncryptedData` or `EncryptedKey` element (XML Encryption 1.1 section 3).
struct EncryptedMessage {
    let element: XMLElement
    /// The `EncryptionMethod` element, which names the algorithm.
    let method: XMLElement
    let algorithm: String
    let keyInfo: XMLElement?
    let cipher: [UInt8]

    init(_ element: XMLElement) throws(XMLEncryptionError) {
        self.element = element
        let malformed = XMLEncryptionError.malformed(element: element.name.local, line: element.line)
        guard let method = element.child(.xenc("EncryptionMethod")), let algorithm = method[XMLName("Algorithm")],
            let data = element.child(.xenc("CipherData"))
        else { throw malformed }
        (self.method, self.algorithm) = (method, algorithm)
        keyInfo = element.child(XMLName("KeyInfo", in: XMLName.signatureNamespace))
        guard data.child(.xenc("CipherReference")) == nil else { throw .externalReference }
        guard data.children.count == 1, let value = data.child(.xenc("CipherValue")), let text = value.text,
            let bytes = Base64.decode(text, as: .mime)
        else { throw malformed }
        cipher = bytes
    }

    /// The RSA algorithm that encrypts an `EncryptedKey`; `nil` if it is not encrypted with RSA.
    var transport: KeyTransport? {
        get throws(XMLEncryptionError) {
            let mask = method.child(XMLName("MGF", in: XMLName.encryption11Namespace))?[XMLName("Algorithm")]
            let digest =
                method.child(XMLName("DigestMethod", in: XMLName.signatureNamespace))?[XMLName("Algorithm")]
                ?? XMLDigestAlgorithm.sha1.rawValue
            guard method.child(.xenc("OAEPparams"))?.text?.isEmpty ?? true else {
                throw .unsupportedAlgorithm("\(algorithm) OAEPparams")
            }
            switch algorithm {
            case KeyTransport.mgf1pURI:
                guard digest == XMLDigestAlgorithm.sha1.rawValue else {
                    throw .unsupportedAlgorithm("\(algorithm) \(digest)")
                }
                return .oaepSHA1
            case KeyTransport.oaepURI:
                switch (digest, mask ?? KeyTransport.maskSHA1) {
                case (XMLDigestAlgorithm.sha1.rawValue, KeyTransport.maskSHA1): return .oaepSHA1
                case (XMLDigestAlgorithm.sha256.rawValue, KeyTransport.maskSHA256): return .oaepSHA256
                default: throw .unsupportedAlgorithm("\(algorithm) \(digest) \(mask ?? KeyTransport.maskSHA1)")
                }
            default: return nil
            }
        }
    }
}

extension KeyTransport {
    static let mgf1pURI = "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p"
    static let oaepURI = "http://www.w3.org/2009/xmlenc11#rsa-oaep"
    static let maskSHA1 = "http://www.w3.org/2009/xmlenc11#mgf1sha1"
    static let maskSHA256 = "http://www.w3.org/2009/xmlenc11#mgf1sha256"

    /// The `EncryptionMethod` element of the algorithm.
    var element: String {
        switch self {
        case .oaepSHA1:
            """
            <xenc:EncryptionMethod Algorithm="\(Self.mgf1pURI)"><ds:DigestMethod xmlns:ds="\(XMLName.signatureNamespace)" \
            Algorithm="\(XMLDigestAlgorithm.sha1.rawValue)"/></xenc:EncryptionMethod>
            """
        case .oaepSHA256:
            """
            <xenc:EncryptionMethod Algorithm="\(Self.oaepURI)"><ds:DigestMethod xmlns:ds="\(XMLName.signatureNamespace)" \
            Algorithm="\(XMLDigestAlgorithm.sha256.rawValue)"/><xenc11:MGF xmlns:xenc11="\(XMLName.encryption11Namespace)" \
            Algorithm="\(Self.maskSHA256)"/></xenc:EncryptionMethod>
            """
        }
    }
}

extension XMLName {
    /// The XML Encryption namespace.
    package static let encryptionNamespace = "http://www.w3.org/2001/04/xmlenc#"
    /// The namespace of the XML Encryption 1.1 additions.
    static let encryption11Namespace = "http://www.w3.org/2009/xmlenc11#"

    /// Returns a name in the XML Encryption namespace.
    package static func xenc(_ local: String) -> Self { Self(local, in: encryptionNamespace) }
}

/// The encrypted part of an element (XML Encryption 1.1 section 3.1).
///
/// The raw value is the URI in `Type`.
public enum EncryptedForm: String, Sendable, CaseIterable {
    /// The element with its tags.
    case element = "http://www.w3.org/2001/04/xmlenc#Element"
    /// The content between the element's tags.
    case content = "http://www.w3.org/2001/04/xmlenc#Content"
}
