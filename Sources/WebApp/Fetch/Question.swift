// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import CommandSession
import Identities
import Secrets

/// What a fetch waits for a person to answer.
struct Question: Sendable {
    enum Kind: Sendable {
        case trust(ChallengeQuestion.Trust)
        /// Holds the user that is proposed.
        case password(String, user: String?)
        case token(String)
        /// Holds why the identity that was given last could not be read.
        case identity(String, flaw: String?)
    }

    enum Answer: Sendable {
        case declined
        case accepted
        case login(user: String, password: Secret)
        case token(Secret)
        case identity(Identity)
        /// What was sent is no identity that can be read. Says why.
        case unreadableIdentity(String)
    }

    /// The number of the question within its fetch; an answer names it.
    let number: Int
    let kind: Kind
}
