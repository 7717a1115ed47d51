// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments
public import XMLEncryption
public import XMLSignature

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Why a message is not secured, or not accepted.
public enum WSSecurityError: Error, Hashable, Sendable {
    /// The message cannot be parsed.
    case document(XMLDocumentError)
    /// The message is not an envelope of SOAP 1.1 or 1.2 with one body.
    case notAnEnvelope
    /// The message has several security headers for the same receiver.
    case severalSecurityHeaders
    /// The message already has the part that is to be added.
    case alreadyPresent(MessagePart)
    /// The message lacks a part that is to be signed, or that must be signed.
    case missingPart(MessagePart)
    /// A name or password has a character that XML 1.0 cannot hold.
    case unwritableText
    /// The message should carry or name a certificate, and none is given.
    case noCertificate
    /// A certificate cannot be encoded.
    case unusableCertificate
    /// The algorithm with this URI is broken, and not explicitly allowed.
    case brokenAlgorithm(String)

    /// The message has no security header for this receiver.
    case noSecurityHeader
    /// The security header has no signature.
    case noSignature
    /// The security header has more signatures than are verified.
    case tooManySignatures(most: Int)
    /// The signature cannot be verified.
    case signature(XMLSignatureError)
    /// A part cannot be encrypted or decrypted.
    case encryption(XMLEncryptionError)
    /// A part that must be signed is in the message, and the signature does not cover it in its place.
    case notSigned(MessagePart)
    /// An element of the security header does not follow its schema.
    case malformedHeader(element: String, line: Int)
    /// The message was created later than the present, even with the tolerated difference of clocks.
    case fromTheFuture(created: Date)
    /// The message expired at this time.
    case expired(Date)
    /// The message was created longer ago than the policy allows.
    case stale(created: Date)
    /// The message was received before.
    case replayed
    /// The cache of messages holds no more that have not expired.
    case replayCacheFull(most: Int)
    /// The user is unknown, the password is wrong, or its form is not accepted.
    case wrongPassword
}
