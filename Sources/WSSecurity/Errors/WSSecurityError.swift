// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// Why a message is not secured, or not believed.
public enum WSSecurityError: Error, Hashable, Sendable {
    /// The message is not read.
    case document(XMLDocumentError)
    /// The message is not an envelope of SOAP 1.1 or 1.2 with one body.
    case notAnEnvelope
    /// The message has several security headers for the same receiver.
    case severalSecurityHeaders
    /// What is to be added is there.
    case alreadyPresent(MessagePart)
    /// What is to be signed, or must be signed, is not in the message.
    case missingPart(MessagePart)
    /// A name or password has a character that XML cannot write.
    case unwritableText
    /// The message is to refer to a certificate, and there is none.
    case noCertificate
    /// A certificate cannot be encoded.
    case unusableCertificate
    /// The algorithm is broken, and not allowed by name.
    case brokenAlgorithm(String)
}
