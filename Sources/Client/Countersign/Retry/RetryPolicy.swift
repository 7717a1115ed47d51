// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import HTTPTypes

/// A policy that decides when a failed request is sent again, how often, and after how long.
///
/// A failed request is sent again if no connection was made, if the connection ended before a response, or if a status says that the server
/// is busy. Where the server may have acted on the request, only idempotent methods are sent again (RFC 9110 section 9.2.2), and only with
/// a body that can be produced again. Refused certificates and failed authentication are never tried again.
///
/// Whatever the policy, the session repeats a request at once where no server has processed it (GOAWAY, REFUSED_STREAM,
/// HTTP_1_1_REQUIRED, a connection that ended before the request arrived) or where a pooled connection was lost. It does so at most four times for one request. A request is thus sent at most 1 + 4 + ``attempts``
/// times, and once more for each redirect and each answered challenge.
public struct RetryPolicy: Hashable, Sendable {
    /// Which requests of methods that are not idempotent are sent again after a status.
    public enum UnsafeRequests: Hashable, Sendable {
        /// None is sent again, because the client cannot know what the server has done.
        case never
        /// A request is sent again after 429, and after 503 with `Retry-After`, which well-behaved servers send before they act on a
        /// request.
        case afterRefusals
    }

    /// How many more times a request is sent, through all its redirects; 0 or less for never.
    public var attempts: Int
    /// The upper bound of the first wait; each further bound is twice the one before.
    ///
    /// The wait is chosen at random below its bound, so that clients which failed together do not return together.
    public var firstDelay: Duration
    /// The largest bound of a wait, however many attempts came before.
    public var longestDelay: Duration
    /// The longest wait that the server may ask for by `Retry-After` (RFC 9110 section 10.2.3); 60 seconds by default.
    ///
    /// If the server asks for more, its response is delivered.
    public var longestRetryAfter: Duration = .seconds(60)
    /// No wait begins that would end later than this after the request was first sent; `nil` for no such limit.
    public var totalTime: Duration?
    /// The statuses after which the request is sent again: 429 and 503 by default.
    ///
    /// Add 502 and 504 where there is a gateway before the server.
    public var statuses: Set<HTTPResponse.Status> = [.tooManyRequests, .serviceUnavailable]
    /// What happens to requests that are not idempotent after one of the ``statuses``; by default they are not sent again.
    public var unsafeRequests = UnsafeRequests.never

    /// No request is sent again: every failure is delivered at once.
    public static let none = RetryPolicy.upTo(0)

    /// Sends a request again, at growing intervals.
    ///
    /// - Parameters:
    ///   - attempts: How many more times a request is sent; 0 or less for never.
    ///   - firstDelay: The upper bound of the first wait; each further bound is twice the one before.
    ///   - longestDelay: The largest bound of a wait.
    ///   - totalTime: No wait begins that would end later than this after the request was first sent; `nil` for no such limit.
    /// - Returns: A policy for ``Session/Configuration/retries``.
    public static func upTo(
        _ attempts: Int, firstDelay: Duration = .milliseconds(500), longestDelay: Duration = .seconds(30),
        totalTime: Duration? = .seconds(120)
    ) -> RetryPolicy {
        RetryPolicy(
            attempts: attempts, firstDelay: firstDelay, longestDelay: longestDelay, totalTime: totalTime)
    }
}

/// Why a request is sent again.
public enum RetryReason: Sendable {
    /// The server answered with this status.
    case status(HTTPResponse.Status)
    /// The request failed without a response.
    case failure(SessionError)
}
