// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import HTTPTypes
import Secrets

/// One request and the head of its response, as they were sent over a connection.
///
/// There is one report for each round of a challenge, each redirect, and each `CONNECT` request to an HTTP proxy.
///
/// A report can be logged and shown to others: credentials, cookies, and the values of fields and URL parameters whose
/// names look secret are replaced by `<redacted>`, and it contains no body.
public struct ExchangeReport: Sendable {
    /// The head of the response.
    public struct Response: Hashable, Sendable {
        /// The status.
        public let status: HTTPResponse.Status
        /// The header fields in the order sent, without secrets.
        public let headerFields: HTTPFields
    }

    /// The method.
    public let method: HTTPRequest.Method
    /// The URL, without secrets; for a tunnel, the host and the port of its destination.
    public let url: String
    /// The URL with its secrets; `nil` if it has none.
    let secretURL: Secret?
    /// The header fields that were sent, without secrets and without the fields that state the length of the body.
    public let headerFields: HTTPFields
    /// The length of the request's body, in bytes; 0 without a body, `nil` if the length was unknown beforehand.
    public let bodyLength: Int?
    /// The response; `nil` if none arrived.
    public let response: Response?
    /// The error that prevented a response; `nil` if one arrived.
    public let failure: (any Error)?
    /// The connection that carried the exchange.
    public var connection: ConnectionReport { sharedConnection.report }
    let sharedConnection: SharedReport
    /// Whether the connection had already served another request.
    public let isConnectionReused: Bool
    /// The time at which the request was sent.
    public let start: ContinuousClock.Instant
    /// The time at which the head of the response had arrived; `nil` if none arrived.
    public let responded: ContinuousClock.Instant?
    /// The time at which the body had been read to its end, or reading ended early.
    public let end: ContinuousClock.Instant
}

extension ExchangeReport {
    /// The URL with its secrets.
    package var completeURL: String { secretURL?.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } ?? url }
}

extension ExchangeReport: CustomStringConvertible {
    /// The method, the URL and the status of the response.
    public var description: String { "\(method.rawValue) \(url): \(response?.status.text ?? "no response")" }
}
