// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import NIOConcurrencyHelpers

/// The passwords that were given in one run: what was typed is not asked for again, and what was rejected is not given again.
///
/// The session remembers a password only from when a server accepts it, and a redirect or a retry may come before that.
final class PasswordAnswers: Sendable {
    /// What a typed password is known for.
    private struct Place: Hashable {
        let host: String
        let port: Int
        let scheme: String
        let role: ProtectionSpace.Role
        /// `nil` for all realms of the origin.
        let realm: [UInt8]?
        /// `nil` for all methods, where the connection is encrypted.
        ///
        /// Without TLS, a password that was typed for Digest must not be sent in clear by Basic without a question.
        let method: AuthenticationMethod?

        init(_ space: ProtectionSpace, isForWholeOrigin: Bool) {
            (host, port, scheme, role) = (space.host.description, space.port, space.scheme, space.role)
            realm = isForWholeOrigin ? nil : Array((space.realm ?? "").utf8)
            method = isForWholeOrigin && space.isEncrypted ? nil : space.method
        }
    }

    private struct State {
        var typed: [Place: Credential] = [:]
        /// Since the first challenge of a request to each space.
        var given: [ProtectionSpace: [Credential]] = [:]
    }

    private let state = NIOLockedValueBox(State())

    /// What was typed for a space before; `nil` where nothing was.
    ///
    /// - Parameters:
    ///   - space: What is asked for now.
    ///   - isForWholeOrigin: Whether the user was named beforehand, so that the password is for all realms of the origin.
    /// - Returns: The credential that was typed.
    func typed(for space: ProtectionSpace, isForWholeOrigin: Bool) -> Credential? {
        let place = Place(space, isForWholeOrigin: isForWholeOrigin)
        return state.withLockedValue { $0.typed[place] }
    }

    func noteTyped(_ credential: Credential, for space: ProtectionSpace, isForWholeOrigin: Bool) {
        let place = Place(space, isForWholeOrigin: isForWholeOrigin)
        state.withLockedValue { $0.typed[place] = credential }
    }

    /// Notes that a credential is given, unless the server has rejected it since its first challenge.
    ///
    /// - Returns: Whether it was not given before.
    func isNew(_ credential: Credential, for challenge: Challenge) -> Bool {
        state.withLockedValue { state in
            if challenge.failureCount == 0 { state.given[challenge.space] = nil }
            let isKnown = state.given[challenge.space]?.contains { $0.kind == credential.kind } ?? false
            guard !isKnown, !challenge.hasRejected(credential) else { return false }
            state.given[challenge.space, default: []].append(credential)
            return true
        }
    }
}
