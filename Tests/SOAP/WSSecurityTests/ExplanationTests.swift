// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorChecks
import ErrorExplanations
import Testing
import WSSecurity

@Suite struct ExplanationTests {
    @Test("Every error explains itself under a unique code") func explanations() {
        #expect(problems(of: WSSecurityError.examples) == [])
    }
}
