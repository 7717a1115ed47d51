// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEClients
import ErrorChecks
import ErrorExplanations
import Testing

@Suite struct ACMEExplanationTests {
    @Test("Every error explains itself under a unique code") func explanations() {
        #expect(problems(of: JWSError.examples) == [])
        #expect(problems(of: ACMEClientError.examples) == [])
    }
}
