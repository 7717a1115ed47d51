// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import PolicyFiles
import Testing

/// Inputs that PolicyFileFuzz found, with the correct position and the wrong one that was reported before.
@Suite("Findings of the policy file fuzzer") struct FindingTests {
    static let findings: [(text: String, error: String, reportedBefore: String)] = [
        ("[[[[[[{{{{", "1:11  syntax(\"did not find expected node content\")", "on line 2, which does not exist"),
        ("{a:\r[", "2:2  syntax(\"did not find expected node content\")", "on line 3, which does not exist"),
        ("{a:\u{2028}[", "2:2  syntax(\"did not find expected node content\")", "on line 3, which does not exist"),
        ("---", "1:1  missingKey(\"version\")", "on line 2, which does not exist"),
        ("version: 1\n? domains\n ", "3:2 domains wrongShape(expected: Shape.mapping)", "on line 4"),
    ]

    @Test("The position of an error is on the affected line", arguments: findings)
    func positions(text: String, error: String, reportedBefore: String) throws {
        #expect(try Reading().error(text) == error, "it was \(reportedBefore)")
    }
}
