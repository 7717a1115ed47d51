// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign
public import ErrorExplanations
import XMLDocuments
public import XMLValues

/// An error of a call, except faults (``SOAPFault``) and session errors.
@nonexhaustive
public enum SOAPClientError: Error, Sendable {
    /// The service has no endpoint: neither its description nor the caller specifies one.
    case noEndpoint(operation: String)
    /// A value of the call cannot be written.
    case unwritable(operation: String, XMLValueError)
    /// WS-Addressing requires an action, but the operation has none.
    case noAction(operation: String)

    /// The HTTP response has a status other than success, and no fault in its body.
    case unexpectedStatus(ResponseSummary)
    /// The response is neither XML nor a multipart message.
    case unexpectedMediaType(ResponseSummary)
    /// The response has no body, but the operation has a result.
    case noEnvelope(ResponseSummary)
    /// The response's envelope is larger than ``SOAPOptions/documentLimits`` allows.
    case responseTooLarge(maximumByteCount: Int)
    /// The response's charset, given by its name, is not supported.
    case unknownCharset(String)
    /// The multipart message is defective, or larger than its limits.
    case multipart(MultipartError)
    /// The temporary file of an attachment contains fewer bytes than were written.
    case attachmentLost

    /// The response is not well-formed, exceeds a limit, or has a document type, which SOAP forbids.
    case document(XMLDocumentError)
    /// The response is an XML document whose root element, with this name, is not an envelope.
    case notAnEnvelope(XMLName)
    /// The envelope's namespace denotes a SOAP version other than that of the call, or no version.
    case versionMismatch(expected: SOAPVersion, namespace: String)
    /// The structure of the envelope is wrong.
    case malformedEnvelope(EnvelopeProblem)
    /// The Body contains elements other than the operation's response; `expected` is `nil` if it should be empty.
    case unexpectedBody(operation: String, expected: XMLName?, found: [XMLName])
    /// A value in the response cannot be read; `operation` is "Header" or "Fault" for values in these elements.
    case unreadable(operation: String, XMLValueError)
    /// The response has headers with these names that must be understood, but the caller does not process them.
    case notUnderstood([XMLName])
    /// The response is a reply to another message, or does not name one (`nil`; WS-Addressing 1.0 section 3.4).
    case unrelated(expected: String, found: String?)
    /// The response is a fault that the verifier refused with the given error.
    case unverifiedFault(SOAPFault, any Error)

    /// The defect in the structure of an envelope.
    @nonexhaustive
    public enum EnvelopeProblem: Hashable, Sendable {
        /// The envelope has no Body.
        case noBody
        /// The envelope contains an element with this name at a position that the structure does not allow.
        case unexpected(XMLName)
        /// The fault has no code.
        case incompleteFault
    }
}

extension SOAPClientError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .noEndpoint(let operation):
            ErrorExplanation(
                "soap.no-endpoint", "\(operation) cannot be called: its service has no endpoint.",
                reason: "Its description names no address, and neither does the caller.",
                advice: "Give the URL as endpoint.")
        case .unwritable(let operation, let error):
            ErrorExplanation(
                "soap.unwritable", "A value of \(operation) cannot be written: \(error)",
                reason: "Nothing was sent.", advice: "Change the value so that the service's schema allows it.")
        case .noAction(let operation):
            ErrorExplanation(
                "soap.no-action", "The operation \(operation) has no action.",
                reason: "WS-Addressing needs one in every message, and the service's description names none.",
                advice: "Set the action in the client's addressing.")
        case .unexpectedStatus(let response) where response.status == .unauthorized:
            ErrorExplanation(
                .notAuthenticated, "soap.not-authenticated",
                "The server responded with \(response): it requires authentication.",
                reason: response.reason(otherwise: "The request had no credentials that it accepts."),
                advice: "Give a user and a password, a token or an identity for the service's host.")
        case .unexpectedStatus(let response):
            ErrorExplanation(
                "soap.unexpected-status", "The server responded with \(response), not with a SOAP message.",
                reason: response.reason(otherwise: "A fault comes with 500 or 400, a result with 200."),
                advice: response.advice(otherwise: "Check the endpoint's URL, and any proxy in front of the service."))
        case .unexpectedMediaType(let response):
            ErrorExplanation(
                "soap.unexpected-media-type", "The response is not a SOAP message: \(response).",
                reason: "Messages are text/xml, application/soap+xml or multipart/related.",
                advice: "Check the endpoint's URL; an error page or a login page is often the reason.")
        case .noEnvelope(let response):
            ErrorExplanation(
                "soap.no-envelope", "The response has no body: \(response).",
                reason: "The operation has a result.", advice: "Check whether the service is asynchronous.")
        case .responseTooLarge(let limit):
            ErrorExplanation(
                "soap.response-too-large", "The response's envelope has more than \(limit) bytes.",
                reason: "The rest is not read, so that no server can exhaust the program.",
                advice: "Raise documentLimits.maximumByteCount in the client's options if responses are this large.")
        case .unknownCharset(let name):
            ErrorExplanation(
                "soap.unknown-charset", "The response's charset \"\(name)\" is not known.",
                reason: "Its bytes cannot be read as text.", advice: "Have the server send UTF-8.")
        case .multipart(let problem): problem.explanation
        case .notAnEnvelope(let name):
            ErrorExplanation(
                "soap.not-an-envelope", "The response is a document with the root element \(name), not an envelope.",
                reason: "The server sends XML, but not SOAP.", advice: "Check the endpoint's URL.")
        case .versionMismatch(let expected, let namespace):
            ErrorExplanation(
                "soap.version-mismatch",
                "The call uses \(expected), but the response's envelope has the namespace \(namespace).",
                reason: "The two versions are not the same protocol.",
                advice: "Use the port of the version that the service supports.")
        case .malformedEnvelope(let problem):
            ErrorExplanation(
                "soap.malformed-envelope", "The response's envelope is malformed: \(problem.clause).",
                reason: "An envelope has at most one Header, then one Body.",
                advice: "Report it to the operator of the service.")
        case .unexpectedBody(let operation, let expected, let found):
            ErrorExplanation(
                "soap.unexpected-body",
                "The response to \(operation) holds \(found.list), not \(expected?.description ?? "an empty Body").",
                reason: "The response does not match the service's description.",
                advice: "Generate the client again from the service's current description.")
        case .unreadable(let operation, let error):
            ErrorExplanation(
                "soap.unreadable", "The response to \(operation) cannot be read: \(error)",
                reason: "The response does not match the service's description.",
                advice: "Generate the client again, or set lenient reading in the client's options.")
        case .notUnderstood(let names):
            ErrorExplanation(
                "soap.not-understood", "The response has headers that must be understood: \(names.list).",
                reason: "Without them, the message could be misinterpreted.",
                advice: "Handle them, and add their names to understoodHeaders in the client's options.")
        case .unrelated(let expected, let found):
            ErrorExplanation(
                "soap.unrelated",
                "The response belongs to the message \(found ?? "(none named)"), not to \(expected).",
                reason: "It may belong to another call.",
                advice: "Report it, or set requiresRelation to false in the client's addressing.")
        case .unverifiedFault(let fault, let error):
            ErrorExplanation(
                "soap.unverified-fault", "The response is a fault that is not verified: \(fault.reasonSentence)",
                reason: "An intermediary could have written it. \(error)",
                advice: "Treat it as a hint. Ask the service to sign its faults.")
        case .document(let error): error.explanation
        case .attachmentLost:
            ErrorExplanation(
                "soap.attachment-lost", "The temporary file of an attachment is shorter than what was written.",
                reason: "Another program changed it.", advice: "Check which program truncates temporary files.")
        }
    }
}

extension SOAPClientError.EnvelopeProblem {
    fileprivate var clause: String {
        switch self {
        case .noBody: "it has no Body"
        case .unexpected(let name): "\(name) is not allowed at its position"
        case .incompleteFault: "a part of the fault is missing"
        }
    }
}

extension [XMLName] {
    /// The names as a list for a sentence.
    fileprivate var list: String { isEmpty ? "nothing" : prefix(10).map(\.description).joined(separator: ", ") }
}

extension SOAPClientError: SummarizedError {
    package var responseSummary: ResponseSummary? {
        if case .unexpectedStatus(let summary) = self { summary } else { nil }
    }
}

extension SOAPClientError {
    package static var examples: [Self] {
        let name = XMLName("BalanceResponse", in: "urn:bank")
        let summary = ResponseSummary(status: .badGateway, url: "https://bank.example/", contentType: "text/html")
        return [
            .noEndpoint(operation: "Balance"), .noAction(operation: "Balance"),
            .unwritable(operation: "Balance", .unexpectedNull()), .unexpectedStatus(summary),
            .unexpectedStatus(ResponseSummary(status: .unauthorized, url: "https://bank.example/", contentType: nil)),
            .unexpectedMediaType(summary), .noEnvelope(summary), .responseTooLarge(maximumByteCount: 64 << 20),
            .unknownCharset("ebcdic"), .attachmentLost, .notAnEnvelope(XMLName("html")),
            .versionMismatch(expected: .soap12, namespace: SOAPVersion.soap11.namespace),
            .malformedEnvelope(.noBody), .unexpectedBody(operation: "Balance", expected: name, found: []),
            .unreadable(operation: "Balance", .unexpectedNull()),
            .notUnderstood([XMLName("Transaction", in: "urn:bank")]), .unrelated(expected: "urn:uuid:1", found: nil),
            .unverifiedFault(
                SOAPFault(version: .soap11, code: .sender, reason: "Unknown account"),
                SOAPClientError.document(.documentType)),
        ]
    }
}
