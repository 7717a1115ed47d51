// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations
public import XMLDocuments

/// An error that occurs when a document is encrypted or decrypted.
@nonexhaustive
public enum XMLEncryptionError: Error, Hashable, Sendable {
    /// The document cannot be parsed, or has no element at the path.
    case document(XMLDocumentError)
    /// The document has no encrypted part.
    case noEncryptedData
    /// The document has more encrypted parts than the policy allows.
    case tooManyParts(limit: Int)
    /// An element does not follow its schema, or has no canonical form and cannot be encrypted.
    case malformed(element: String, line: Int)
    /// Two elements have the same identifier.
    case duplicateIdentifier(String)
    /// The algorithm with this URI is not supported.
    case unsupportedAlgorithm(String)
    /// The policy does not allow the algorithm with this URI, or it is a legacy algorithm, which is only for reading.
    case algorithmNotAllowed(String)
    /// The encrypted data, or its key, is outside the document.
    case externalReference
    /// The caller has no key with the kind and name that the message specifies.
    case noKey
    /// The kind or size of a key does not fit the algorithm.
    case unusableKey
    /// Decryption failed. The error contains no reason, because an attacker could learn from it.
    case cannotDecrypt
}

extension XMLEncryptionError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .document(let error): error.explanation
        case .noEncryptedData:
            ErrorExplanation(
                "encryption.missing", "The document has no encrypted content.",
                reason: "It has no EncryptedData.", advice: "Use it unchanged, or check what the sender sent.")
        case .tooManyParts(let limit):
            ErrorExplanation(
                "encryption.too-many-parts", "The document has more than \(limit) encrypted parts.",
                reason: "Each of them takes time.",
                advice: "Raise maximumPartCount in the policy if messages have this many.")
        case .malformed(let element, let line):
            ErrorExplanation(
                "encryption.malformed", "The element \(element) in line \(line) is malformed.",
                reason: "Elements must follow the XML Encryption schema.",
                advice: "Check the program that created the message.")
        case .duplicateIdentifier(let identifier):
            ErrorExplanation(
                "encryption.duplicate-identifier", "Two elements have the identifier \(identifier).",
                reason: "A reference to it would be ambiguous.", advice: "Give each element its own identifier.")
        case .externalReference:
            ErrorExplanation(
                "encryption.external-reference", "The encrypted data is outside the document.",
                reason: "Nothing is fetched, because a message could otherwise cause requests to any address.",
                advice: "Have the sender put it into the message.")
        case .unsupportedAlgorithm(let uri):
            ErrorExplanation(
                "encryption.unsupported-algorithm", "The algorithm \(uri) is not supported.",
                reason: "RSA 1.5, Triple DES and mixed OAEP parameters are not supported at all.",
                advice: "Have the sender use AES-GCM, and RSA-OAEP with SHA-1 or with SHA-256 in both places.")
        case .algorithmNotAllowed(let uri):
            ErrorExplanation(
                "encryption.algorithm-not-allowed", "The algorithm \(uri) is not allowed.",
                reason: "With CBC, an attacker can change the encrypted content and discover its plaintext.",
                advice: "Have the sender use AES-GCM, or allow it in the policy for old messages.")
        case .noKey:
            ErrorExplanation(
                "encryption.no-key", "There is no key for the encrypted content.",
                reason: "The message names a key that was not provided, or a key of another kind.",
                advice: "Give the private key of the certificate, or the shared key, that the sender encrypts for.")
        case .unusableKey:
            ErrorExplanation(
                "encryption.unusable-key", "The key cannot be used with the algorithm.",
                reason: "Certificates need RSA keys, and shared keys must have 128, 192 or 256 bits.",
                advice: "Give another key.")
        case .cannotDecrypt:
            ErrorExplanation(
                "encryption.cannot-decrypt", "The encrypted content cannot be decrypted.",
                reason:
                    "It was encrypted with another key, or it was changed. Reporting which would help an attacker.",
                advice: "Check that the sender encrypts for the right certificate.")
        }
    }

    package static var examples: [Self] {
        [
            .noEncryptedData, .tooManyParts(limit: 30),
            .malformed(element: "CipherData", line: 4), .duplicateIdentifier("body"),
            .unsupportedAlgorithm("http://www.w3.org/2001/04/xmlenc#rsa-1_5"),
            .algorithmNotAllowed("http://www.w3.org/2001/04/xmlenc#aes128-cbc"), .externalReference, .noKey,
            .unusableKey,
            .cannotDecrypt,
        ]
    }
}

/// Converts document errors of the closure into an ``XMLEncryptionError``.
func withDocumentErrors<Result>(_ body: () throws(XMLDocumentError) -> Result) throws(XMLEncryptionError) -> Result {
    do {
        return try body()
    } catch {
        throw .document(error)
    }
}
