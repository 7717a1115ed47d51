// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
import EssentialFoundation
import NIOConcurrencyHelpers
import Secrets

/// Lets one browser in: each session ends the one before it.
final class BrowserAccess: Sendable {
    /// What a browser was given.
    struct BrowserSession: Sendable {
        /// Held by the browser in a cookie that no script reads.
        let cookie: String
        /// Part of each form that changes something, so that no other site can make one.
        let formToken: String
        /// Whether a passphrase began it, so that it can be ended and begun again.
        let isByPassphrase: Bool
        /// `nil` for a session of this computer, which ends with the program.
        fileprivate let end: ContinuousClock.Instant?
    }

    private struct State {
        var token: Secret?
        var session: BrowserSession?
    }

    /// A browser of another computer that is left open is not let in for ever.
    private static let longestSession = Duration.seconds(12 * 3_600)

    private let state = NIOLockedValueBox(State())

    /// Makes a token that takes the place of one that was not used.
    func issueToken() -> String {
        let token = Self.randomText()
        state.withLockedValue { $0.token = Secret(token) }
        return token
    }

    /// Begins a session for the browser that brings the token, and ends the earlier one.
    ///
    /// - Returns: `nil` for a token that is wrong, or was used.
    func exchange(_ token: String) -> BrowserSession? {
        let isRight = state.withLockedValue { state in
            guard state.token == Secret(token) else { return false }
            state.token = nil
            return true
        }
        return isRight ? beginSession(isByPassphrase: false) : nil
    }

    /// Begins a session, and ends the earlier one.
    func beginSession(isByPassphrase: Bool) -> BrowserSession {
        let session = BrowserSession(
            cookie: Self.randomText(), formToken: Self.randomText(), isByPassphrase: isByPassphrase,
            end: isByPassphrase ? .now + Self.longestSession : nil)
        state.withLockedValue { $0.session = session }
        return session
    }

    func endSession() { state.withLockedValue { $0.session = nil } }

    /// The session of a browser; `nil` for a cookie that is wrong, or of a session that has ended.
    func session(for cookie: String) -> BrowserSession? {
        let session = state.withLockedValue { $0.session }
        guard let session, Secret(session.cookie) == Secret(cookie) else { return nil }
        if let end = session.end, end <= .now { return nil }
        return session
    }

    /// 32 random bytes in base64 for URLs (RFC 4648 section 5).
    static func randomText() -> String {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return Base64.encode(bytes, as: .url)
    }
}
