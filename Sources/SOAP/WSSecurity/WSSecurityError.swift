// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations
public import EssentialFoundation
public import XMLDocuments
public import XMLEncryption
public import XMLSignature

/// An error that occurs when a message is secured or verified.
@nonexhaustive
public enum WSSecurityError: Error, Hashable, Sendable {
    /// The message cannot be parsed.
    case document(XMLDocumentError)
    /// The message is not a SOAP 1.1 or 1.2 envelope with one body.
    case notAnEnvelope
    /// The message has several security headers for the same receiver.
    case severalSecurityHeaders
    /// The message already has a part that the sender would add.
    case alreadyPresent(MessagePart)
    /// The message lacks a part that must be signed or encrypted, or the username token to verify.
    case missingPart(MessagePart)
    /// A name or password has a character that XML 1.0 does not allow.
    case unwritableText
    /// The message should contain or name a certificate, but the signature has none.
    case noCertificate
    /// A certificate cannot be encoded.
    case unusableCertificate
    /// The algorithm with this URI is broken and not explicitly allowed.
    case brokenAlgorithm(String)

    /// The message has no security header for this receiver.
    case noSecurityHeader
    /// The security header has no signature.
    case noSignature
    /// The security header has more signatures than the limit.
    case tooManySignatures(limit: Int)
    /// The signature cannot be verified.
    case signature(XMLSignatureError)
    /// A part cannot be encrypted or decrypted.
    case encryption(XMLEncryptionError)
    /// The message has a required part that the signature does not cover at its position.
    case notSigned(MessagePart)
    /// An element of the security header does not follow its schema.
    case malformedHeader(element: String, line: Int)
    /// The message was created in the future, even after allowing for the tolerated clock difference.
    case fromTheFuture(created: Date)
    /// The message expired at this time.
    case expired(Date)
    /// The message is older than the policy allows.
    case stale(created: Date)
    /// The message was received before.
    case replayed
    /// The replay cache is full of messages that have not expired.
    case replayCacheFull(limit: Int)
    /// The user is unknown, the password is wrong, or its form is not accepted.
    case wrongPassword
}

extension WSSecurityError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .document(let error): error.explanation
        case .notAnEnvelope:
            ErrorExplanation(
                "ws-security.not-an-envelope", "The message is not a SOAP envelope.",
                reason: "A SOAP 1.1 or 1.2 envelope has at most one header, followed by one body.",
                advice: "Check what the service sent; often it is an error page.")
        case .severalSecurityHeaders:
            ErrorExplanation(
                "ws-security.several-headers", "The message has several security headers for the same receiver.",
                reason: "The standard forbids that, because it would be unclear which of them applies.",
                advice: "Have the sender put everything into one, or give each its own actor.")
        case .noSecurityHeader:
            ErrorExplanation(
                "ws-security.no-header", "The message has no security header for this receiver.",
                reason: "Anyone could have written it.", advice: "Check whether the service signs its messages.")
        case .malformedHeader(let element, let line):
            ErrorExplanation(
                "ws-security.malformed-header",
                "The element \(element) in line \(line) of the security header is malformed.",
                reason: "It lacks a required part, or occurs twice.",
                advice: "Check the program that created the message.")
        case .alreadyPresent(let part):
            ErrorExplanation(
                "ws-security.already-present", "The message already has the part \(part).",
                reason: "The standard forbids a second one.", advice: "Secure each message once.")
        case .missingPart(let part):
            ErrorExplanation(
                "ws-security.missing-part", "The message has no part \(part), which must be signed.",
                reason: "It must be at the position that SOAP or WS-Security requires.",
                advice: "Add the part, or remove it from the signed parts.")
        case .unwritableText:
            ErrorExplanation(
                "ws-security.unwritable-text", "The user's name or password has a character that XML cannot write.",
                reason: "Control characters such as U+0000 are not allowed in XML 1.0.",
                advice: "Choose another password, or send its digest.")
        case .noCertificate:
            ErrorExplanation(
                "ws-security.no-certificate", "There is no certificate to refer to.",
                reason: "The message must say which key signed it.", advice: "Give the signer's certificate.")
        case .unusableCertificate:
            ErrorExplanation(
                "ws-security.unusable-certificate", "The certificate cannot be used.",
                reason: "It cannot be encoded, or its key is of a kind that does not fit.",
                advice: "Give another certificate.")
        case .brokenAlgorithm(let uri):
            ErrorExplanation(
                "ws-security.broken-algorithm", "The algorithm \(uri) is broken.",
                reason: "Signatures with SHA-1 can be forged.",
                advice: "Use SHA-256, or set allowsSHA1 if the service supports nothing else.")
        case .noSignature:
            ErrorExplanation(
                "ws-security.no-signature", "The security header has no signature.",
                reason: "Anyone could have written the message.",
                advice: "Check whether the service signs its messages.")
        case .tooManySignatures(let limit):
            ErrorExplanation(
                "ws-security.too-many-signatures", "The security header has more than \(limit) signatures.",
                reason: "Each of them takes time before the signer is authenticated.",
                advice: "Have the sender sign with fewer keys.")
        case .signature(let error): error.explanation
        case .encryption(let error): error.explanation
        case .notSigned(let part):
            ErrorExplanation(
                "ws-security.not-signed", "The part \(part) of the message is not signed at its position.",
                reason: "The signature covers something else, so that anyone could have inserted this part.",
                advice: "Do not use the message. If the service never signs the part, remove it from the policy.")
        case .wrongPassword:
            ErrorExplanation(
                "ws-security.wrong-password", "The username or the password is wrong.",
                reason:
                    "The user is unknown, the password is wrong, or its form is not accepted.",
                advice: "Check the username and the password.")
        case .fromTheFuture(let created):
            ErrorExplanation(
                "ws-security.from-the-future",
                "The message was created in the future, on \(SecurityTime.text(created)).",
                reason: "The clocks differ by more than the policy allows.",
                advice: "Correct the clocks, or raise clockSkew in the policy.")
        case .expired(let time):
            ErrorExplanation(
                "ws-security.expired", "The message expired on \(SecurityTime.text(time)).",
                reason: "It was delayed, or it is a replay.",
                advice: "Send the request again. If all messages are late, check the clocks.")
        case .stale(let created):
            ErrorExplanation(
                "ws-security.stale", "The message is too old; it was created on \(SecurityTime.text(created)).",
                reason: "It was delayed, or it is a replay.",
                advice:
                    "Send the request again. If all messages are late, check the clocks, or raise maximumAge in the policy."
            )
        case .replayCacheFull(let limit):
            ErrorExplanation(
                "ws-security.replay-cache-full", "More than \(limit) received messages have not expired.",
                reason: "A replay of another message could not be detected.",
                advice: "Raise the limit of the cache, or lower maximumAge in the policy.")
        case .replayed:
            ErrorExplanation(
                "ws-security.replayed", "The message was received before.",
                reason: "Each message is accepted only once.", advice: "Do not use it. Send the request again.")
        }
    }

    package static var examples: [Self] {
        let time = Date(timeIntervalSince1970: 1_790_000_000)
        return [
            .notAnEnvelope, .severalSecurityHeaders, .alreadyPresent(.timestamp),
            .missingPart(.body), .unwritableText, .noCertificate, .unusableCertificate,
            .brokenAlgorithm(XMLSignatureAlgorithm.rsaSHA1.rawValue), .noSecurityHeader, .noSignature,
            .tooManySignatures(limit: 5), .notSigned(.body),
            .malformedHeader(element: "Timestamp", line: 3), .fromTheFuture(created: time), .expired(time),
            .stale(created: time), .replayed, .replayCacheFull(limit: 100_000), .wrongPassword,
        ]
    }
}
