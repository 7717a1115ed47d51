// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorChecks
import ErrorExplanations
import Identities
import Testing

@Suite struct ExplanationTests {
    @Test("Every error has an explanation with a unique code") func uniqueCodes() {
        #expect(problems(of: IdentityError.examples) == [])
    }

    @Test(
        "Unsupported features are named, under a code for each remedy",
        arguments: [
            ("RSA-1024", "identity.unsupported-key-size"), ("PKCS#12", "identity.pkcs12-not-certificates"),
            ("OPENSSH PRIVATE KEY", "identity.unsupported"),
        ])
    func unsupported(name: String, code: String) {
        let explanation = IdentityError.unsupported(name).explanation
        #expect(explanation.code == code)
        #expect(explanation.message.contains(name))
    }

    @Test("A malformed part is named, with its offset if that is known") func malformed() {
        #expect(
            IdentityError.malformed(.pem, offset: 28).explanation.message
                == "The file is damaged: its PEM is malformed at byte 28.")
        #expect(
            IdentityError.malformed(.privateKey).explanation.message
                == "The file is damaged: its private key is malformed.")
    }
}
