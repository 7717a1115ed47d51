// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509
public import XMLDocuments
public import XMLEncryption

/// How a message is encrypted, after it was signed.
public struct MessageEncryption: Sendable {
    /// The parts that are encrypted.
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

    /// Whose key decrypts it; its key must be of RSA.
    public var recipient: Certificate
    /// How the message says which certificate that is.
    public var reference = CertificateReference.issuerAndSerialNumber
    /// The parts that are encrypted.
    public var parts: [Part] = [.body]
    /// How parts are encrypted.
    public var algorithm = ContentAlgorithm.aes256GCM
    /// How the key of the parts is encrypted for the recipient.
    public var transport = KeyTransport.oaepSHA1

    /// Encryption for a recipient.
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
