// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import CommandSession
import Identities
import Keychain
import Secrets

/// Which identity a server is shown.
struct IdentityQuestion: Sendable {
    /// One of the keychain's.
    struct Offer: Sendable {
        let id: Int64
        let title: String
        let text: String
        let isChosen: Bool
    }

    let text: String
    /// Those that the server can accept come first.
    let offers: [Offer]
    /// Whether there is a keychain that has to be unlocked first.
    let isLocked: Bool
    /// Why the identity that was given last could not be read.
    let flaw: String?
}

/// A question for the PIN or the passphrase of the keychain, because its rules for servers count for a fetch.
struct UnlockQuestion: Sendable {
    let hasPIN: Bool
    /// Why the last answer did not open it.
    let flaw: String?
}

/// What a fetch waits for a person to answer.
struct Question: Sendable {
    enum Kind: Sendable {
        case trust(ChallengeQuestion.Trust)
        /// Holds the user that is proposed.
        case password(String, user: String?)
        case token(String)
        case identity(IdentityQuestion)
        case unlock(UnlockQuestion)
    }

    enum Answer: Sendable {
        case declined
        case accepted
        case login(user: String, password: Secret)
        case token(Secret)
        case identity(Identity)
        /// The one of the keychain's item with this number.
        case keptIdentity(Int64)
        case unlock(UnlockMethod)
        /// The keychain was unlocked meanwhile.
        case lookAgain
        /// What was sent is no identity that can be read. Says why.
        case unreadableIdentity(String)
    }

    /// The number of the question within its fetch; an answer names it.
    let number: Int
    let kind: Kind
}
