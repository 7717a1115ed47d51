// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import HTTPTypes

/// The head of a request, as it is sent over a connection.
///
/// It can be logged and shown to others: credentials, cookies, and the values of fields and parameters whose names look
/// secret are replaced by `<redacted>`.
public struct RequestHead: Sendable {
    /// The method.
    public let method: HTTPRequest.Method
    /// The request target without secrets (RFC 9112 section 3.2): a path with its query, a URL if a proxy forwards the
    /// request, or a host and a port for `CONNECT`.
    public var target: String { Redaction.parameters(completeTarget) }
    /// The value of the field `Host`, or of `:authority` in HTTP/2.
    public let authority: String
    /// The version of HTTP.
    public let httpVersion: ConnectionReport.HTTPVersion
    /// The other header fields in the order sent, without secrets.
    public var headerFields: HTTPFields { Redaction.fields(completeFields) }
    /// The request target with its secrets.
    package let completeTarget: String
    /// The header fields with their secrets.
    package let completeFields: HTTPFields

    /// Makes the head of a request that has the fields that frame its body.
    init(_ request: HTTPRequest, isAbsoluteForm: Bool, _ httpVersion: ConnectionReport.HTTPVersion) {
        let (authority, path) = (request.authority ?? "", request.path ?? "")
        (method, self.authority, self.httpVersion) = (request.method, authority, httpVersion)
        completeTarget =
            if request.method == .connect {
                authority
            } else {
                isAbsoluteForm ? "\(request.scheme ?? "")://\(authority)\(path)" : path
            }
        completeFields = request.headerFields
    }
}

extension RequestHead: CustomStringConvertible, CustomReflectable {
    /// The method, the target and the authority, without secrets.
    public var description: String { "\(method.rawValue) \(target) of \(authority)" }

    /// A mirror that shows only the description, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["head": description]) }
}

/// The head of a response, as it was received over a connection.
///
/// It can be logged and shown to others, as ``RequestHead`` can.
public struct ResponseHead: Sendable {
    /// The status.
    public let status: HTTPResponse.Status
    /// The version of HTTP.
    public let httpVersion: ConnectionReport.HTTPVersion
    /// The header fields in the order sent, without secrets.
    public var headerFields: HTTPFields { Redaction.fields(completeFields) }
    /// The header fields with their secrets.
    package let completeFields: HTTPFields

    init(_ response: HTTPResponse, _ httpVersion: ConnectionReport.HTTPVersion) {
        (status, self.httpVersion, completeFields) = (response.status, httpVersion, response.headerFields)
    }
}

extension ResponseHead: CustomStringConvertible, CustomReflectable {
    /// The status.
    public var description: String { status.text }

    /// A mirror that shows only the description, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["head": description]) }
}
