// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

@testable import LimboHarness

struct LimboTests {
    @Test func everyCaseComesOutAsExpectedOrIsListedWithItsReason() throws {
        let path = ProcessInfo.processInfo.environment["LIMBO"] ?? "../shared/testdata/x509-limbo/limbo.json"
        guard let data = FileManager.default.contents(atPath: path) else {
            return print("x509-limbo skipped: no \(path); set LIMBO to the path of limbo.json")
        }
        let publicSuffixes = try LimboHarness.parse([]).suffixes()
        if publicSuffixes == nil {
            print("x509-limbo without public suffixes: no \(LimboHarness.debianPublicSuffixes)")
        }
        let outcomes = LimboHarness.outcomes(of: try LimboSuite(json: data), publicSuffixes: publicSuffixes)
        let score = LimboScore(outcomes)
        for line in score.lines { print("x509-limbo: \(line)") }
        for divergence in score.unlisted { Issue.record("\(divergence.id) came out as \(divergence.result)") }
        for id in score.needlesslyListed {
            Issue.record("\(id) is listed as divergent but comes out as expected")
        }
    }
}
