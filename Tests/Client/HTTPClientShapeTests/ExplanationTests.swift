// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorChecks
import ErrorExplanations
import HTTPClientShape
import Testing

@Suite struct ExplanationTests {
    @Test("Every error has an explanation with a unique code") func uniqueCodes() {
        #expect(problems(of: HTTPClientError.examples) == [])
    }
}
