// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import HTTPTypes

/// Responses without a server, for clients that stand in for a session.
extension Response {
    /// Makes a response to a request, as if the URL's own server had given it over a connection without TLS.
    ///
    /// - Parameters:
    ///   - request: The request that the response answers.
    ///   - status: The status. The default is 200.
    ///   - headerFields: The header fields, in the order sent.
    ///   - body: The body, which can be read once.
    /// - Throws: What a session throws for the URL: ``SessionError`` of ``RequestError/invalidURL(_:_:)`` or
    ///   ``RequestError/unsupportedScheme(_:)``.
    public init(
        to request: Request, status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:],
        body: ResponseBody = ResponseBody()
    ) throws(SessionError) {
        let url = try HTTPURL(request.url)
        self.init(
            status: status, headerFields: headerFields, url: url.description,
            connection: ConnectionReport(endpoint: url.endpoint), body: body)
    }
}
