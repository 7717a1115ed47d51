// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
public import HTTPTypes
import NIOCore

/// A response whose body has yet to be read.
public struct SessionResponse: Sendable {
    /// The status of the last response.
    ///
    /// The responses of redirects that were followed are not delivered.
    public let status: HTTPResponse.Status
    /// The header fields, in the order in which the server sent them.
    public let headerFields: HTTPFields
    /// The URL of the resource after redirects, with the fragment of the request or of the last redirect that has one.
    public internal(set) var url: String
    /// The connection that delivered the response.
    public var connection: ConnectionReport { sharedReport.report }
    /// The body, which has yet to be read or dropped.
    ///
    /// An unread body keeps its connection in use.
    public let body: SessionResponseBody
    let sharedReport: SharedReport
    /// The reason why the session did not answer the challenge of the response; `nil` for another response.
    var unansweredChallenge: UnansweredChallenge?
    /// Whether the request of a client error had a credential for the origin, or used a connection that is
    /// authenticated; `false` for another response.
    package internal(set) var sentCredential = false

    /// Makes a response from all its parts; ``init(to:status:headerFields:body:)`` needs fewer of them.
    ///
    /// - Parameters:
    ///   - status: The status of the last response.
    ///   - headerFields: The header fields, in the order sent.
    ///   - url: The URL of the resource, after redirects.
    ///   - connection: The connection that delivered the response.
    ///   - body: The body, which can be read once; empty by default.
    public init(
        status: HTTPResponse.Status, headerFields: HTTPFields = [:], url: String, connection: ConnectionReport,
        body: SessionResponseBody = SessionResponseBody()
    ) {
        self.init(
            status: status, headerFields: headerFields, url: url, sharedReport: SharedReport(connection), body: body)
    }

    init(
        status: HTTPResponse.Status, headerFields: HTTPFields, url: String, sharedReport: SharedReport,
        body: SessionResponseBody
    ) {
        self.status = status
        self.headerFields = headerFields
        self.url = url
        self.sharedReport = sharedReport
        self.body = body
    }
}

/// A connection report that all responses over the connection share, because it is the largest part of a response and
/// responses are copied often.
final class SharedReport: Sendable {
    let report: ConnectionReport

    init(_ report: ConnectionReport) { self.report = report }
}

extension SessionResponse: CustomStringConvertible, CustomReflectable {
    /// The status and the URL, without the values of secret parameters.
    public var description: String { "\(status.text) from \(Redaction.url(url))" }

    /// A mirror with the status, the URL and the fields without secrets, and without the body.
    public var customMirror: Mirror {
        Mirror(self, children: ["response": description, "headerFields": Redaction.fields(headerFields)])
    }
}

extension SessionResponse {
    func replacingBody(with contents: ByteBuffer) -> SessionResponse {
        replacing(headerFields, SessionResponseBody(contents))
    }

    func replacing(_ headerFields: HTTPFields, _ body: SessionResponseBody) -> SessionResponse {
        var response = SessionResponse(
            status: status, headerFields: headerFields, url: url, sharedReport: sharedReport, body: body)
        (response.unansweredChallenge, response.sentCredential) = (unansweredChallenge, sentCredential)
        return response
    }
}

extension SessionResponse {
    /// Returns a summary of the response with the beginning of its body.
    package func summary(beginning: some Sequence<UInt8>) -> ResponseSummary {
        var summary = ResponseSummary(
            status: status, url: Redaction.url(url), contentType: headerFields[.contentType], beginning: beginning,
            unansweredCertificateRequest: connection.tls?.unansweredCertificateRequest)
        summary.forwarderCertificateRequest = connection.forwarderCertificateRequest
        summary.unansweredChallenge = unansweredChallenge
        if status.kind == .clientError {
            let challenges = headerFields[values: .wwwAuthenticate]
            summary.refusalStatement = HTTPChallenge.read(challenges).challenges.refusalStatement
            summary.isRefusedWithoutCredential =
                status != .proxyAuthenticationRequired && !sentCredential && challenges.allSatisfy(\.isEmpty)
        }
        return summary
    }

    /// Reads the beginning of the body for a summary, and also the rest if it is short, so that the connection can be
    /// reused.
    package func summary() async throws -> ResponseSummary {
        var (beginning, size): ([UInt8], Int) = ([], 0)
        do {
            for try await part in body {
                size += part.readableBytes
                beginning += part.readableBytesView.prefix(ResponseSummary.limit - beginning.count)
                if size > SessionResponseBody.discardLimit { break }
            }
        } catch is SessionError {
            // The bytes that arrived before the connection was lost are the beginning.
        }
        return summary(beginning: beginning)
    }
}
