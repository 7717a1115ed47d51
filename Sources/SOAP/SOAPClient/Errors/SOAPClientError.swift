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

    /// The HTTP response has a status other than success, and no fault in its body.
    case unexpectedStatus(ResponseSummary)
    /// The response is neither XML nor a multipart message.
    case unexpectedMediaType(ResponseSummary)
    /// The response has no body, and the operation has a result.
    case noEnvelope(ResponseSummary)
    /// The response's envelope has more bytes than ``SOAPOptions/documentLimits`` allows.
    case responseTooLarge(mostBytes: Int)
    /// The response's charset, given by its name, is not supported.
    case unknownCharset(String)
    /// The multipart message is defective, or larger than its limits.
    case multipart(MultipartFlaw)
    /// The temporary file of an attachment has fewer bytes than were written.
    case attachmentLost

    /// The response is not well-formed, exceeds a limit, or has a document type, which SOAP forbids.
    case document(XMLDocumentError)
    /// The response is an XML document whose root element, with this name, is no envelope.
    case notAnEnvelope(XMLName)
    /// The envelope's namespace is of another version of SOAP than the call, or of none.
    case versionMismatch(expected: SOAPVersion, namespace: String)
    /// The structure of the envelope is wrong.
    case malformedEnvelope(EnvelopeFlaw)
    /// The Body holds other elements than the operation's response; `expected` is `nil` where it should be empty.
    case unexpectedBody(operation: String, expected: XMLName?, found: [XMLName])
    /// A value in the response cannot be read; `operation` is "Header" or "Fault" for one in those.
    case unreadable(operation: String, XMLValueError)
    /// The response has headers with these names that must be understood, and are not.
    case notUnderstood([XMLName])
    /// The response is to another message, or names none (`nil`; WS-Addressing 1.0 section 3.4).
    case unrelated(expected: String, found: String?)
    /// The response is a fault that the verifier refused, for the error given.
    case unverifiedFault(SOAPFault, any Error)

    /// The defect in the structure of an envelope.
    public enum EnvelopeFlaw: Hashable, Sendable {
        /// The envelope has no Body.
        case noBody
        /// An element with this name stands where the structure has no place for it.
        case unexpected(XMLName)
        /// The fault has no code.
        case incompleteFault
    }
}
