// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import Testing

@testable import LimboHarness

struct LimboTests {
    @Test("Each case has the expected result or is listed with a reason") func suite() throws {
        guard let suite = try LimboSuite.fromFile() else { return }
        let publicSuffixes = try LimboHarness.parse([]).suffixes()
        if publicSuffixes == nil {
            print("x509-limbo without public suffixes: no \(LimboHarness.debianPublicSuffixes)")
        }
        let outcomes = LimboHarness.outcomes(of: suite, publicSuffixes: publicSuffixes)
        let score = LimboScore(outcomes)
        for line in score.lines { print("x509-limbo: \(line)") }
        for divergence in score.unlisted { Issue.record("\(divergence.id) has the result \(divergence.result)") }
        for id in score.obsoleteListings {
            Issue.record("\(id) is listed as divergent but has the expected result")
        }
    }
}
