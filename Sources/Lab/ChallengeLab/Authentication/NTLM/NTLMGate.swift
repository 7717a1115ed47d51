// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A server's half of NTLM over HTTP (MS-NTHT): version 2 only, and for as long as its connection lasts.
package struct NTLMGate: LabGate {
    /// What a server does that a client has to cope with.
    package struct Habits: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// Hangs up after the 401 that only names the scheme, so that the exchange needs another connection.
        package static let closesAfterFirstRefusal = Self(rawValue: 1)
        /// Hangs up after its challenge, so that no exchange ever ends.
        package static let closesAfterChallenge = Self(rawValue: 2)
        /// Sends the bodies of its refusals in chunks.
        package static let chunksRefusals = Self(rawValue: 4)
    }

    let terms: NTLMTerms
    let habits: Habits

    package init(_ terms: NTLMTerms, habits: Habits = []) {
        self.terms = terms
        self.habits = habits
    }

    package func verifier() -> any LabVerifier { NTLMVerifier(terms: terms, habits: habits) }
}
