// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A handler's decision about a challenge.
public enum Disposition: Sendable {
    /// Answer with this credential.
    case use(Credential)
    /// Do what happens without a handler: distrusted servers are refused, no certificate is presented, a 401 is delivered.
    case performDefault
    /// Try the next method that the server offered.
    case rejectProtectionSpace
    /// Give up the request.
    case cancel
}

/// Answers challenges of the methods that it is registered for.
public protocol ChallengeHandler: Sendable {
    /// May take as long as a person needs.
    func answer(_ challenge: Challenge) async throws -> Disposition
}
