// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import ErrorChecks
import ErrorExplanations
import Testing

@Suite struct ExplanationTests {
    @Test("Every error has an explanation with a unique code") func uniqueCodes() {
        #expect(problems(of: HTTPChallengeError.examples) == [])
        #expect(problems(of: HTTPAuthenticatorError.examples) == [])
        #expect(problems(of: NTLMError.examples) == [])
        #expect(problems(of: NetrcError.examples) == [])
    }

    @Test("A clause is the message without initial capital and period") func clauses() {
        let error = HTTPAuthenticatorError.controlCharacter(.user)
        #expect(error.clause == "the user name has a control character")
        #expect(error.explanation.message == "The user name has a control character.")
    }

    @Test("An NTLM error has the same explanation within an authenticator's error") func nested() {
        for error in NTLMError.examples {
            #expect(HTTPAuthenticatorError.ntlm(error).explanation == error.explanation)
            #expect(HTTPAuthenticatorError.ntlm(error).clause == error.clause)
        }
    }

    @Test(
        "An iteration count below the allowed range has a different code than one above it",
        arguments: [(1, "credential.iteration-count-too-small"), (300_000, "credential.iteration-count-too-large")])
    func iterationCounts(count: Int, code: String) {
        #expect(HTTPAuthenticatorError.iterationCount(count, allowed: 4_096...200_000).code == code)
    }

    @Test("External text in an explanation cannot control a terminal") func escaping() {
        let error = HTTPAuthenticatorError.missingParameter("no\u{1B}[2Jnce")
        #expect(error.explanation.message == "The challenge has no parameter no\\u{1b}[2Jnce.")
    }
}
