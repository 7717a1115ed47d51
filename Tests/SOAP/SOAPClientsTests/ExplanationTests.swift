// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorChecks
import ErrorExplanations
import SOAPClients
import Testing

@Suite struct ExplanationTests {
    @Test("Every error explains itself under a unique code") func explanations() {
        #expect(problems(of: SOAPClientError.examples) == [])
        #expect(problems(of: SOAPFault.examples) == [])
        #expect(problems(of: MultipartError.examples) == [])
    }
}
