// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
import EssentialFoundation
import NIOConcurrencyHelpers
import Secrets

/// The access of one browser at a time: each session ends the previous one.
final class BrowserAccess: Sendable {
    /// The session of a browser.
    struct BrowserSession: Sendable {
        /// The session cookie, which scripts cannot read.
        let cookie: String
        /// The token in each form that changes something, so that no other site can forge one.
        let formToken: String
        /// Whether the session began with a passphrase, so that the user can sign out and in again.
        let isByPassphrase: Bool
        /// The expiry; `nil` for a session of this computer, which ends with the program.
        fileprivate let end: ContinuousClock.Instant?
    }

    private struct State {
        var token: Secret?
        var session: BrowserSession?
    }

    /// The maximum duration of a session on another computer.
    private static let maximumSessionDuration = Duration.seconds(12 * 3_600)

    private let state = NIOLockedValueBox(State())

    /// Creates a token, which replaces an unused one.
    func issueToken() -> String {
        let token = Self.randomText()
        state.withLockedValue { $0.token = Secret(token) }
        return token
    }

    /// Begins a session for the browser that sends the token, and ends the previous session.
    ///
    /// - Returns: The session, or `nil` for a token that is wrong or was used.
    func exchange(_ token: String) -> BrowserSession? {
        let isRight = state.withLockedValue { state in
            guard state.token == Secret(token) else { return false }
            state.token = nil
            return true
        }
        return isRight ? beginSession(isByPassphrase: false) : nil
    }

    /// Begins a session, and ends the previous one.
    func beginSession(isByPassphrase: Bool) -> BrowserSession {
        let session = BrowserSession(
            cookie: Self.randomText(), formToken: Self.randomText(), isByPassphrase: isByPassphrase,
            end: isByPassphrase ? .now + Self.maximumSessionDuration : nil)
        state.withLockedValue { $0.session = session }
        return session
    }

    func endSession() { state.withLockedValue { $0.session = nil } }

    /// Returns the session for a cookie, or `nil` for a cookie that is wrong or whose session has ended.
    func session(for cookie: String) -> BrowserSession? {
        let session = state.withLockedValue { $0.session }
        guard let session, Secret(session.cookie) == Secret(cookie) else { return nil }
        if let end = session.end, end <= .now { return nil }
        return session
    }

    /// Returns 32 random bytes in base64url (RFC 4648 section 5).
    static func randomText() -> String {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return Base64.encode(bytes, as: .url)
    }
}
