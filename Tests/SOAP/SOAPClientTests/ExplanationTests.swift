// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorChecks
import ErrorExplanations
import SOAPClient
import Testing

@Suite struct ExplanationTests {
    @Test("Every error explains itself under a unique code") func explanations() {
        #expect(flaws(of: SOAPClientError.examples) == [])
        #expect(flaws(of: SOAPFault.examples) == [])
        #expect(flaws(of: MultipartFlaw.examples) == [])
    }
}
