// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import HTTPTypes
import NIOCore

/// A response whose body is still to be read.
public struct Response: Sendable {
    public let status: HTTPResponse.Status
    public let headerFields: HTTPFields
    /// Where the response came from, after redirects.
    public let url: String
    public let connection: ConnectionReport
    public let body: ResponseBody
}

extension Response {
    func replacingBody(with contents: ByteBuffer) -> Response {
        Response(
            status: status, headerFields: headerFields, url: url, connection: connection, body: ResponseBody(contents))
    }
}
