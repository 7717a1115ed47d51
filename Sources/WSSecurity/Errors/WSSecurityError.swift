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

/// Why a message is not secured, or not believed.
public enum WSSecurityError: Error, Hashable, Sendable {
    /// The message is not read.
    case document(XMLDocumentError)
    /// The message is not an envelope of SOAP 1.1 or 1.2 with one body.
    case notAnEnvelope
    /// The message has several security headers for the same receiver.
    case severalSecurityHeaders
    /// The message already has the part that is to be added.
    case alreadyPresent(MessagePart)
    /// The message lacks a part that is to be signed, or that must be signed.
    case missingPart(MessagePart)
    /// A name or password has a character that XML cannot write.
    case unwritableText
    /// The message is to refer to a certificate, and there is none.
    case noCertificate
    /// A certificate cannot be encoded.
    case unusableCertificate
    /// The algorithm is broken, and not allowed by name.
    case brokenAlgorithm(String)

    /// The message has no security header for this receiver.
    case noSecurityHeader
    /// The security header has no signature.
    case noSignature
    /// The security header has more signatures than are verified.
    case tooManySignatures(most: Int)
    /// The signature is not believed.
    case signature(XMLSignatureError)
    /// Parts are not encrypted, or not decrypted.
    case encryption(XMLEncryptionError)
    /// A part that must be signed is there, and the signature does not sign it in this place.
    case notSigned(MessagePart)
    /// An element of the security header is not as the schema has it.
    case malformedHeader(element: String, line: Int)
    /// The message was made later than now.
    case fromTheFuture(created: Date)
    /// The message counts no longer.
    case expired(Date)
    /// The message was made longer ago than the policy allows.
    case stale(created: Date)
    /// The message came before.
    case replayed
    /// More messages came within the time for which they are remembered than the cache holds.
    case replayCacheFull(most: Int)
    /// The user is not known, or the password is another one.
    case wrongPassword
}
