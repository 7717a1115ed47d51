// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import HTTPTypes
package import Secrets

/// One request and the head of its response, as they went over a connection: each round of a challenge is one, each redirect,
/// and each question for a tunnel that is put to a proxy of HTTP (`CONNECT`).
///
/// It can be logged and shown to others: credentials, cookies, and the values of fields and URL parameters whose names look secret are
/// `<redacted>`. It holds no body.
public struct ExchangeReport: Sendable {
    /// What came back.
    public struct Response: Hashable, Sendable {
        /// As sent.
        public let status: HTTPResponse.Status
        /// In the order sent, without secrets.
        public let headerFields: HTTPFields
    }

    /// As sent.
    public let method: HTTPRequest.Method
    /// Where to, without secrets; for a tunnel, the host and the port that it is to lead to.
    public let url: String
    /// The URL with its secrets.
    package let wholeURL: Secret
    /// What was sent, without secrets; what only says how long the body is is not there.
    public let headerFields: HTTPFields
    /// The length of the request's body in bytes: 0 without one, `nil` where it was not known beforehand.
    public let bodyLength: Int?
    /// `nil` where none came.
    public let response: Response?
    /// Why none came, where none did.
    public let failure: (any Error)?
    /// What it went over.
    public let connection: ConnectionReport
    /// Whether the connection had served another request before.
    public let isConnectionReused: Bool
    /// When the request went out.
    public let start: ContinuousClock.Instant
    /// When the head of the response was there; `nil` where none came.
    public let responded: ContinuousClock.Instant?
    /// When the body had been read to its end, or was given up.
    public let end: ContinuousClock.Instant
}

extension ExchangeReport: CustomStringConvertible {
    /// Method, URL, and the status that it was answered with.
    public var description: String { "\(method.rawValue) \(url): \(response?.status.text ?? "no response")" }
}
