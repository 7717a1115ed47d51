// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Challenges
public import ErrorExplanations
public import HTTPTransport
public import HTTPTypes
import NIOCore

/// The reason for which a response cannot be used.
@nonexhaustive
public enum ResponseError: Error, Sendable {
    /// The peer sent a malformed HTTP response.
    case malformed(SessionError.Peer, SessionError.MalformedResponse)
    /// The server reset the HTTP/2 stream of the request.
    case streamReset(HostEndpoint, SessionError.StreamReset)
    /// The response has a status that the caller does not accept.
    case unexpectedStatus(ResponseSummary)
    /// The media type of the body is not the one that the caller expects.
    case unexpectedContentType(ResponseSummary)
    /// The body cannot be decoded as the caller's type. Holds the name of the type, and a `DecodingError` or the error
    /// that the type's initializer threw.
    case undecodableBody(ResponseSummary, as: String, any Error)
    /// The response to a download has a status other than success. No file was changed.
    case downloadRefused(ResponseSummary)
    /// The server sent a range that was not requested, or no readable `Content-Range` (RFC 9110 section 14.4). Holds
    /// the URL, the requested offset in bytes (`nil` for the complete file), and the field `Content-Range` (`nil` if it
    /// is missing).
    case wrongContentRange(String, offset: Int?, field: String?)
}

extension ResponseError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .malformed(let peer, .tls):
            ErrorExplanation(
                "response.tls", "\(peer.subject) answered plain http with TLS.",
                reason: "The port speaks TLS only.",
                advice: peer.text(
                    "Use https: instead of http:.", forProxy: "Use https: instead of http: in the proxy's URL."))
        case .malformed(let peer, .bareLineFeed):
            ErrorExplanation(
                "response.bare-line-feed",
                "\(peer.subject) sent a malformed HTTP response: a line of its head ends in LF instead of CR LF.",
                reason: "Readers disagree about such lines, which attackers exploit (RFC 9112 section 2.2).",
                advice: "If it is an old device that you trust, allow bare line feeds in heads.")
        case .malformed(let peer, let cause):
            ErrorExplanation(
                "response.malformed", "\(peer.subject) sent a malformed HTTP response: \(cause.clause).",
                reason: cause.reason, advice: cause.advice(for: peer))
        case .streamReset(let endpoint, let reset):
            ErrorExplanation(
                "response.stream-reset", "\(endpoint) ended the request with the HTTP/2 error \(reset.name).",
                reason: reset == .http1Required
                    ? .http1Required : "The server reset the stream of this request (RFC 9113 section 7).",
                advice: reset == .http1Required
                    ? .allowHTTP1 : "Try again. If it happens again, try HTTP/1.1.")
        case .unexpectedStatus(let response):
            ErrorExplanation(
                redacting: "\(response.url) answered with status \(response.status.code).",
                "response.unexpected-status",
                reason: response.reason(otherwise: "The caller accepts only other statuses."),
                advice: response.advice(otherwise: "Check the URL and what its server requires of a request."))
        case .unexpectedContentType(let response):
            ErrorExplanation(
                redacting: "\(response.url) answered with \(response.contentTypeClause).",
                "response.unexpected-content-type",
                reason: response.reason(otherwise: "The caller expects another content type."),
                advice: response.advice(otherwise: "Check the URL. The body may be a page that says why."))
        case .undecodableBody(let response, let type, let cause):
            ErrorExplanation(
                redacting:
                    "The body from \(response.url) cannot be decoded as \(type)\(response.beginning.isEmpty && cause is DecodingError ? ": it is empty" : Self.clause(cause)).",
                "response.undecodable-body", reason: "It does not have the form that the caller expects.",
                advice: "Check the URL and the version of the service.")
        case .downloadRefused(let response):
            ErrorExplanation(
                redacting: "\(response.url) answered the download with status \(response.status.code).",
                response.status == .unauthorized ? .notAuthenticated : .failed, "response.download-refused",
                reason: response.reason(otherwise: "The server did not send the file.") + " No file was changed.",
                advice: response.advice(otherwise: "Request the URL without a file to read what the server says."))
        case .wrongContentRange(let url, let offset, let field):
            ErrorExplanation(
                redacting:
                    "\(url) was asked for \(offset.map { "the bytes from \($0)" } ?? "the whole file") and \(field.map { "sent \"\($0)\"" } ?? "did not say what it sent").",
                "response.wrong-content-range",
                reason: "The bytes do not continue the part of the file that is already there.",
                advice: "Try again; the download restarts.")
        }
    }

    /// Returns the expected type and the path of the keys at which decoding failed, without values.
    ///
    /// The keys of a dictionary come from the server, and may be anything.
    static func clause(_ error: any Error) -> String {
        guard let error = error as? DecodingError, let context = error.context else { return "" }
        let keys = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue.asKey }
        let place = keys.isEmpty ? "" : " at \(keys.joined(separator: "."))"
        return switch error {
        case .typeMismatch(let type, _): ": \(type) expected\(place)"
        case .valueNotFound(let type, _): ": \(type) expected, and no value found\(place)"
        case .keyNotFound(let key, _): ": the key \(key.stringValue.asKey) is missing\(place)"
        // Foundation states no place for broken JSON, a malformed date, and a number such as 1.5 for Int.
        case .dataCorrupted where keys.isEmpty: ": it is not valid JSON, or a value does not fit its type"
        case .dataCorrupted: ": the value does not fit its type\(place)"
        @unknown default: place
        }
    }

    package static var examples: [ResponseError] {
        let page = ResponseSummary(status: .notFound, url: "https://localhost:8443/items", contentType: "text/html")
        return [
            .malformed(.example, .statusLine), .malformed(.example, .tls), .malformed(.example, .bareLineFeed),
            .streamReset(.example, .refused),
            .unexpectedStatus(page),
            .unexpectedContentType(page), .undecodableBody(page, as: "Item", CancellationError()),
            .downloadRefused(page),
            .wrongContentRange("https://localhost:8443/file", offset: 1024, field: "bytes 0-99/100"),
        ]
    }
}

extension String {
    /// The text if it has the form of a property name, or else a question mark.
    fileprivate var asKey: String {
        count <= 64 && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") } ? self : "?"
    }
}

extension DecodingError {
    fileprivate var context: Context? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }
}

extension MalformedResponse {
    fileprivate var clause: String {
        switch self {
        case .statusLine: "its status line is malformed"
        case .tls: "it is a TLS record"
        case .greeting(let name): "it is the greeting of a server for \(name)"
        case .headerField: "a header field is malformed"
        case .bareLineFeed: "a line of its head ends in LF instead of CR LF"
        case .bareLineFeedInChunk: "a line of its chunks or of its trailer ends in LF instead of CR LF"
        case .framing: "its length is contradictory, or an interim response or an upgrade is invalid"
        case .unrequested: "bytes arrived that no request asked for"
        case .chunk: "the size of a chunk cannot be read"
        case .http2: "its frames or fields break HTTP/2"
        }
    }

    fileprivate var reason: String {
        switch self {
        case .statusLine, .tls, .greeting:
            "The server may not speak HTTP, or expects TLS on this port (RFC 9112 section 4)."
        case .headerField: "Field names and values have a fixed form (RFC 9110 section 5)."
        case .bareLineFeed, .bareLineFeedInChunk:
            "Readers disagree about such lines, which attackers exploit (RFC 9112 section 2.2)."
        case .framing: "A response with two lengths can hide another one (RFC 9112 section 6)."
        case .unrequested: "SSH, SMTP and database servers speak first; an HTTP server answers (RFC 9110 section 3.4)."
        case .chunk: "The body is sent in chunks, each with its size (RFC 9112 section 7.1)."
        case .http2: "The server breaks RFC 9113."
        }
    }

    fileprivate func advice(for peer: ConnectionPeer) -> String {
        switch self {
        case .bareLineFeed, .bareLineFeedInChunk: "Ask the server's operator to correct it."
        case .headerField, .framing, .chunk, .http2:
            "Try again. If it happens again, ask the server's operator to correct it."
        case .statusLine, .tls, .greeting, .unrequested:
            peer.text(
                "Check that the port is that of a web server, and whether it needs https:.",
                forProxy: "Check that the port is that of an HTTP proxy.")
        }
    }
}

/// A summary of a response that the caller could not use: parts of its head, and the beginning of its body.
public struct ResponseSummary: Hashable, Sendable {
    /// The maximum number of body bytes in a summary.
    public static let limit = 4096

    /// The status.
    public let status: HTTPResponse.Status
    /// The URL of the response, after redirects.
    ///
    /// A session omits the values of parameters whose names look secret.
    public let url: String
    /// The value of `Content-Type`; `nil` without that field.
    public let contentType: String?
    /// The first bytes of the body, at most ``limit``.
    ///
    /// The description omits them, because a server may repeat secrets of the request. The reason of an error quotes
    /// the first characters of a text, without the values that look secret.
    public let beginning: [UInt8]
    /// The server's request for a client certificate in the TLS handshake, if none was presented; `nil` otherwise.
    public let unansweredCertificateRequest: ClientCertificateRequest?
    /// The request for a client certificate of a proxy that forwards plain http, if none was presented.
    var forwarderCertificateRequest: ClientCertificateRequest?
    /// The reason why the session did not answer the challenge of the response; `nil` for another response.
    var unansweredChallenge: UnansweredChallenge?
    /// The sentence about the reason that the server states in its challenges; `nil` if it states none.
    package internal(set) var refusalStatement: String?
    /// Whether the server refused the request without asking for a credential, and the request had none.
    package internal(set) var isRefusedWithoutCredential = false

    /// Makes a summary.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - url: The URL of the response.
    ///   - contentType: The value of `Content-Type`; `nil` for none.
    ///   - beginning: The beginning of the body. Bytes beyond ``limit`` are dropped.
    ///   - unansweredCertificateRequest: The server's request for a client certificate, if none was presented.
    public init(
        status: HTTPResponse.Status, url: String = "", contentType: String? = nil, beginning: some Sequence<UInt8> = [],
        unansweredCertificateRequest: ClientCertificateRequest? = nil
    ) {
        self.status = status
        self.unansweredCertificateRequest = unansweredCertificateRequest
        self.url = url
        self.contentType = contentType
        self.beginning = Array(beginning.prefix(Self.limit))
    }

    /// The beginning of the body as text.
    ///
    /// Invalid UTF-8 is replaced by U+FFFD.
    public var text: String { String(decoding: beginning, as: UTF8.self) }
}

extension ResponseSummary {
    /// A sentence about the requested client certificate, if its absence may explain the status; `nil` otherwise.
    package var missingCertificate: String? {
        guard status.kind == .clientError else { return nil }
        return unansweredCertificateRequest?.reason(for: "server") ?? forwarderCertificateRequest?.reason(for: "proxy")
    }

    /// Returns the reason of an error about the status, with the beginning of a text body.
    ///
    /// - Parameter text: The reason if no requested client certificate is missing.
    /// - Returns: One or more sentences.
    package func reason(otherwise text: String) -> String {
        let quotation = Redaction.excerpt(of: beginning, contentType).map { " The body begins: \"\($0)\"." }
        let statement = refusalStatement.map { " \($0)" } ?? ""
        return (missingCertificate ?? unansweredChallenge?.reason ?? text) + statement + (quotation ?? "")
    }

    /// The code of the error for which a challenge could not be answered; `nil` if there is none.
    package var unanswerableCode: String? { unansweredChallenge?.errorCode }

    /// The advice if a credential was at hand and the server did not ask for it.
    package static let firstRequestAdvice = "If the server needs the credential, send it with the first request."

    /// The scheme of a challenge that the session does not support; `nil` if there is none, or another reason.
    package var unsupportedScheme: String? { unansweredChallenge?.unsupportedScheme }

    /// Returns the advice of an error about the status.
    ///
    /// - Parameter text: The advice if no requested client certificate is missing.
    /// - Returns: One sentence.
    package func advice(otherwise text: String) -> String {
        missingCertificate == nil ? unansweredChallenge?.advice ?? text : .presentIdentity
    }
}

extension ResponseSummary {
    /// The media type, after the status if that is not a success.
    fileprivate var contentTypeClause: String {
        (status.kind == .successful ? "" : "status \(status.code) and ")
            + (contentType.map { "the content type \($0)" } ?? "no content type")
    }
}

/// An error about a response that the caller could not use.
package protocol SummarizedError: Error {
    /// The summary of the response; `nil` if the error is about something else.
    var responseSummary: ResponseSummary? { get }
}

extension SessionError: SummarizedError {
    package var responseSummary: ResponseSummary? {
        switch self {
        case .response(.unexpectedStatus(let summary)), .response(.downloadRefused(let summary)): summary
        default: nil
        }
    }
}

extension ResponseSummary: CustomStringConvertible, CustomReflectable {
    /// The status, the media type and the URL, without the body.
    public var description: String { "\(status.code) (\(contentType ?? "no type")) from \(url)" }

    /// A mirror that shows only the description, because a body may repeat secrets of the request.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}
