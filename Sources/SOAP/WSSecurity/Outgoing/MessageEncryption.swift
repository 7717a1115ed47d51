// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509
public import XMLDocuments
public import XMLEncryption

/// The encryption of a message, after it was signed: its recipient, its parts and its algorithms.
public struct MessageEncryption: Sendable {
    /// A part of a message that is encrypted.
    public enum Part: Hashable, Sendable {
        /// The content of the body. Its tags stay, so that the envelope remains well-formed SOAP.
        case body
        /// The signature. A reader of the message could otherwise guess a short body by comparing digests.
        case signature
        /// The user's name and password.
        case usernameToken
        /// The headers of a name, right below the envelope's header.
        case header(XMLName)
    }

    /// The certificate of the recipient, whose key must be of RSA.
    public var recipient: Certificate
    /// The way in which the message names the recipient's certificate; by issuer and serial number by default.
    public var reference = CertificateReference.issuerAndSerialNumber
    /// The parts that are encrypted; the content of the Body by default.
    public var parts: [Part] = [.body]
    /// The algorithm that encrypts the parts; AES-256-GCM by default.
    public var algorithm = ContentAlgorithm.aes256GCM
    /// The algorithm that encrypts the key of the parts for the recipient; RSA-OAEP with SHA-1 by default.
    public var transport = KeyTransport.oaepSHA1

    /// Creates an encryption for a recipient, whose certificate must have an RSA key.
    public init(for recipient: Certificate) { self.recipient = recipient }
}

extension MessageEncryption.Part {
    /// The part as errors name it; `nil` for the signature.
    var messagePart: MessagePart? {
        switch self {
        case .body: .body
        case .signature: nil
        case .usernameToken: .usernameToken
        case .header(let name): .header(name)
        }
    }
}
