// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import HTTPTypes
import NIOCore

/// A response whose body is still to be read.
public struct Response: Sendable {
    /// The status of the last response; redirects are not seen.
    public let status: HTTPResponse.Status
    /// In the order sent.
    public let headerFields: HTTPFields
    /// Where the response came from, after redirects, with the fragment that was asked for or that a redirect gave.
    public internal(set) var url: String
    /// What it came over.
    public let connection: ConnectionReport
    /// Read it or drop it: while it is unread its connection is held.
    public let body: ResponseBody

    /// A response by its parts; ``init(to:status:headerFields:body:)`` needs fewer.
    ///
    /// - Parameters:
    ///   - status: Of the last response.
    ///   - headerFields: In the order sent.
    ///   - url: Where it came from, after redirects.
    ///   - connection: What it came over.
    ///   - body: Read once.
    public init(
        status: HTTPResponse.Status, headerFields: HTTPFields = [:], url: String, connection: ConnectionReport,
        body: ResponseBody = ResponseBody()
    ) {
        self.status = status
        self.headerFields = headerFields
        self.url = url
        self.connection = connection
        self.body = body
    }
}

extension Response {
    func replacingBody(with contents: ByteBuffer) -> Response {
        Response(
            status: status, headerFields: headerFields, url: url, connection: connection, body: ResponseBody(contents))
    }
}
