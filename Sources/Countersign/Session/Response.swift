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
}

extension Response {
    func replacingBody(with contents: ByteBuffer) -> Response {
        Response(
            status: status, headerFields: headerFields, url: url, connection: connection, body: ResponseBody(contents))
    }
}
