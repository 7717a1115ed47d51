// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import HTTPTypes
import NIOCore

/// A response whose body is still to be read.
public struct Response: Sendable {
    /// The status of the last response.
    ///
    /// The responses of redirects that were followed are not delivered.
    public let status: HTTPResponse.Status
    /// The header fields, in the order in which the server sent them.
    public let headerFields: HTTPFields
    /// The URL of the resource after redirects, with the fragment of the request or of the last redirect that has one.
    public internal(set) var url: String
    /// The connection over which the response came.
    public var connection: ConnectionReport { sharedReport.report }
    /// The body, which is still to be read or dropped.
    ///
    /// While it is unread, it holds its connection.
    public let body: ResponseBody
    let sharedReport: SharedReport

    /// Makes a response from its parts; ``init(to:status:headerFields:body:)`` needs fewer of them.
    ///
    /// - Parameters:
    ///   - status: The status of the last response.
    ///   - headerFields: The header fields, in the order sent.
    ///   - url: The URL of the resource, after redirects.
    ///   - connection: The connection over which the response came.
    ///   - body: The body, which can be read once; empty by default.
    public init(
        status: HTTPResponse.Status, headerFields: HTTPFields = [:], url: String, connection: ConnectionReport,
        body: ResponseBody = ResponseBody()
    ) {
        self.init(
            status: status, headerFields: headerFields, url: url, sharedReport: SharedReport(connection), body: body)
    }

    init(
        status: HTTPResponse.Status, headerFields: HTTPFields, url: String, sharedReport: SharedReport,
        body: ResponseBody
    ) {
        self.status = status
        self.headerFields = headerFields
        self.url = url
        self.sharedReport = sharedReport
        self.body = body
    }
}

/// What a connection is, held once for all responses that come over it: a response is handed on often, and this is its largest part.
final class SharedReport: Sendable {
    let report: ConnectionReport

    init(_ report: ConnectionReport) { self.report = report }
}

extension Response: CustomStringConvertible, CustomReflectable {
    /// The status and the URL, without the values of secret parameters.
    public var description: String { "\(status.text) from \(Redaction.url(url))" }

    /// Shows status, URL and fields without secrets, and nothing of the body.
    public var customMirror: Mirror {
        Mirror(self, children: ["response": description, "headerFields": Redaction.fields(headerFields)])
    }
}

extension Response {
    func replacingBody(with contents: ByteBuffer) -> Response {
        Response(
            status: status, headerFields: headerFields, url: url, sharedReport: sharedReport,
            body: ResponseBody(contents))
    }
}

extension Response {
    /// The summary of the response, with the beginning of its body.
    package func summary(beginning: some Sequence<UInt8>) -> ResponseSummary {
        ResponseSummary(
            status: status, url: Redaction.url(url), contentType: headerFields[.contentType], beginning: beginning)
    }

    /// Reads what the summary keeps and, so that the connection can be used again, the rest where it is not long.
    package func summary() async throws -> ResponseSummary {
        var (beginning, size): ([UInt8], Int) = ([], 0)
        do {
            for try await part in body {
                size += part.readableBytes
                beginning += part.readableBytesView.prefix(ResponseSummary.limit - beginning.count)
                if size > ResponseBody.discardLimit { break }
            }
        } catch is SessionError {
            // What came of the body before its connection was lost is all that there is.
        }
        return summary(beginning: beginning)
    }
}
