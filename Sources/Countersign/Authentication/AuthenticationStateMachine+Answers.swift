// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges

/// What the stages and the choice of a connection have to know.
extension AuthenticationStateMachine {
    /// The user that the last answer authenticates the connection as; `nil` where the scheme authenticates requests.
    var binding: ConnectionBinding? { progress == .none ? nil : attempt.flatMap { binding(of: $0) } }

    /// What the connection becomes that an attempt goes over; `nil` where the scheme authenticates requests.
    func binding(of attempt: AuthenticationAttempt) -> ConnectionBinding? {
        attempt.isConnectionBound
            ? ConnectionBinding(space: attempt.space, own: own?.credential, credential: attempt.credential) : nil
    }

    /// Whether what is said next authenticates a connection, as far as that is known before it is said.
    var needsOwnConnection: Bool {
        if let attempt { return attempt.isConnectionBound }
        return own?.unasked.map { $0.isConnectionBound && allowed.contains($0) } ?? false
    }

    /// Whether the next request may use a connection that is authenticated as this user; `remembered` is what it would send unasked.
    func mayUse(_ binding: ConnectionBinding, remembered: CredentialMemory.Accepted?) -> Bool {
        guard challenger.asks(in: binding.space), binding.own == own?.credential else { return false }
        if let attempt, !attempt.isRemembered { return self.binding(of: attempt) == binding }
        guard mayGuess, let remembered else { return false }
        return remembered.space == binding.space && remembered.credential == binding.credential
    }

    /// Whether the last challenge offered none of the methods that are allowed.
    var offersNoneAllowed: Bool { !offeredMethods.isEmpty && !offeredMethods.contains(where: allowed.contains) }

    /// Why a challenge was not answered, for a proxy, whose challenge is not the resource's.
    var refusal: SessionError {
        offersNoneAllowed
            ? .proxy(.methodsNotAllowed(challenger.endpoint, offered: offeredMethods, allowed: allowed))
            : .proxy(.authenticationRequired(challenger.endpoint, offeredMethods))
    }
}
