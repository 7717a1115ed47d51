// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

@testable import CertificateTrust

struct LimboTests {
    /// Where Debian's package publicsuffix has it.
    private static let publicSuffixList = "/usr/share/publicsuffix/public_suffix_list.dat"

    @Test func everyCaseComesOutAsExpectedOrIsListedWithItsReason() throws {
        guard let cases = try LimboCase.all() else { return }
        let publicSuffixes = FileManager.default.contents(atPath: Self.publicSuffixList)
            .map { PublicSuffixList(String(decoding: $0, as: UTF8.self), sections: .all) }
        if publicSuffixes == nil { print("x509-limbo without public suffixes: no \(Self.publicSuffixList)") }
        var score: [String: (right: Int, all: Int)] = [:]
        var divergent: [String: [String]] = [:]
        var slowest = (id: "", time: Duration.zero)
        for one in cases {
            let (codes, time) = one.run(publicSuffixes: publicSuffixes)
            if time > slowest.time { slowest = (one.id, time) }
            if ProcessInfo.processInfo.environment["LIMBO_ALL"] != nil { print("CASE", one.id, codes, time) }
            let isRight = codes.isEmpty == (one.expectedResult == "SUCCESS")
            if !isRight { divergent[one.id] = codes }
            let category = one.id.split(separator: "::").dropLast().joined(separator: "::")
            score[category, default: (0, 0)].all += 1
            if isRight { score[category, default: (0, 0)].right += 1 }
        }
        for (category, count) in score.sorted(by: { $0.key < $1.key }) {
            print("x509-limbo \(category): \(count.right) of \(count.all)")
        }
        print("x509-limbo: \(cases.count - divergent.count) of \(cases.count); slowest \(slowest.id): \(slowest.time)")
        for (id, codes) in divergent.sorted(by: { $0.key < $1.key }) where LimboDivergences.reasons[id] == nil {
            Issue.record("\(id) came out as \(codes.isEmpty ? ["trusted"] : codes)")
        }
        for id in LimboDivergences.reasons.keys where divergent[id] == nil {
            Issue.record("\(id) is listed as divergent but comes out as expected")
        }
    }
}
