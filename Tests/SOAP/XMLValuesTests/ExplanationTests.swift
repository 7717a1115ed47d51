// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorChecks
import ErrorExplanations
import Testing
import XMLValues

@Suite struct ExplanationTests {
    @Test("Every error explains itself under a unique code") func explanations() {
        #expect(problems(of: XMLValueError.examples) == [])
    }

    @Test("Every error can be given a position, and keeps an existing one", arguments: XMLValueError.examples)
    func places(error: XMLValueError) {
        let place = XMLPlace(path: "a/b", line: 2)
        #expect(error.located(at: place) == error || error.place == XMLPlace())
        #expect(XMLValueError.unexpectedNull().located(at: place).place == place)
    }

    @Test("A message names the path, the line and the value") func words() {
        let error = XMLValueError.invalid(
            text: "x", type: "int", at: XMLPlace(path: "Envelope/Body/price", line: 7))
        #expect(error.explanation.message == "\"x\" is not a value of int, in Envelope/Body/price, line 7.")
    }
}
