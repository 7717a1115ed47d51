// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

@testable import LimboHarness

struct PKITSTests {
    @Test("Each case of NIST's PKITS has the expected result and policies, or is listed with a reason")
    func suite() throws {
        guard let suite = try LimboSuite.pkits() else { return }
        let score = LimboScore(LimboHarness.outcomes(of: suite, publicSuffixes: nil))
        for line in score.lines { print("PKITS: \(line)") }
        for divergence in score.unlisted { Issue.record("\(divergence.id) has the result \(divergence.result)") }
        for id in score.obsoleteListings {
            Issue.record("\(id) is listed as divergent but has the expected result")
        }
    }
}
