// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A handler's decision about a challenge.
public enum Disposition: Sendable {
    /// The session answers with this credential.
    case use(Credential)
    /// The session does what it does without a handler: it refuses a server that is not trusted, presents no certificate, and delivers a
    /// 401.
    case performDefault
    /// The session tries the next method that the server offered.
    case rejectProtectionSpace
    /// The session ends the request with an error.
    case cancel
}

/// Answers challenges of the methods that it is registered for.
public protocol ChallengeHandler: Sendable {
    /// Decides on a challenge.
    ///
    /// The handler may take as long as a person needs; the session's timeouts do not count that time, apart from the total timeout.
    ///
    /// - Parameter challenge: The challenge, of a method that the handler is registered for.
    /// - Returns: The decision.
    /// - Throws: An error that ends the request, and that the caller of the session receives.
    func answer(_ challenge: Challenge) async throws -> Disposition
}
