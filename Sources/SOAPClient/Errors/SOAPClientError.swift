// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign
public import XMLValues

/// Why a call has no result, apart from faults (``SOAPFault``) and what the session throws.
@nonexhaustive
public enum SOAPClientError: Error, Sendable {
    /// The service has no endpoint: neither its description nor the caller names one.
    case noEndpoint(operation: String)
    /// A value of the call cannot be written.
    case unwritable(operation: String, XMLValueError)
    /// WS-Addressing needs an action, and the operation has none.
    case noAction(operation: String)

    /// The response has a status that no rule of SOAP takes, and no fault.
    case unexpectedStatus(ResponseSummary)
    /// The response is not XML, SOAP or a message of several parts.
    case unexpectedMediaType(ResponseSummary)
    /// The response has no body where the operation has a result.
    case noEnvelope(ResponseSummary)
    /// The response has more bytes than are read, apart from its attachments.
    case responseTooLarge(mostBytes: Int)
    /// The response's charset is not known.
    case unknownCharset(String)
    /// The message of several parts cannot be read.
    case multipart(MultipartFlaw)
    /// The bytes of a temporary file are gone.
    case attachmentLost

    /// The response is not well-formed, or not allowed in SOAP.
    case document(XMLDocumentError)
    /// The response is an XML document, and no envelope.
    case notAnEnvelope(XMLName)
    /// The envelope is of another version of SOAP than the call.
    case versionMismatch(expected: SOAPVersion, namespace: String)
    /// An element of the envelope stands where none may stand, or is missing.
    case malformedEnvelope(EnvelopeFlaw)
    /// The Body does not hold what the operation returns.
    case unexpectedBody(operation: String, expected: XMLName?, found: [XMLName])
    /// A value in the response cannot be read.
    case unreadable(operation: String, XMLValueError)
    /// A header that must be understood is not.
    case notUnderstood([XMLName])
    /// The response belongs to another message (WS-Addressing 1.0 section 3.4).
    case unrelated(expected: String, found: String?)
    /// The response is a fault, and its signature cannot be verified.
    case unverifiedFault(SOAPFault, any Error)

    /// The defect in the structure of an envelope.
    public enum EnvelopeFlaw: Hashable, Sendable {
        /// The envelope has no Body.
        case noBody
        /// An element stands beside Header and Body, or in the wrong order.
        case unexpected(XMLName)
        /// The parts of a fault are missing.
        case incompleteFault
    }
}
