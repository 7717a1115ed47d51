// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How replays compare with what the tests expect.
struct CurlScore {
    struct Result: Sendable {
        let number: Int
        let theme: String
        let comparison: Comparison
        let errors: [String]
    }

    private struct Count {
        var right = 0
        var all = 0
    }

    private let listed: [Result]
    private let unlisted: [Result]
    private let needlesslyListed: [Int]
    private let divergences: [Int: CurlDivergences.Divergence]
    private var counts: [String: Count] = [:]
    private var total = Count()

    init(_ results: [Result], divergences: [Int: CurlDivergences.Divergence] = CurlDivergences.all) {
        self.divergences = divergences
        let divergent = results.filter { !$0.comparison.isSame }
        listed = divergent.filter { divergences[$0.number]?.received == $0.comparison.received }
        unlisted = divergent.filter { divergences[$0.number]?.received != $0.comparison.received }
        needlesslyListed = results.filter { $0.comparison.isSame && divergences[$0.number] != nil }.map(\.number)
        for result in results {
            counts[result.theme, default: Count()].all += 1
            if result.comparison.isSame { counts[result.theme]?.right += 1 }
        }
        total = Count(right: results.count - divergent.count, all: results.count)
    }

    /// Whether nothing diverges but as it is listed, and all that is listed does.
    var isAsListed: Bool { unlisted.isEmpty && needlesslyListed.isEmpty }

    /// For a person: every theme, and every divergence with what was received instead.
    var lines: [String] {
        counts.sorted { $0.key < $1.key }.map { "\($0.value.right) of \($0.value.all)  \($0.key)" }
            + ["\(total.right) of \(total.all)  in total, and \(listed.count) that diverge as listed"]
            + listed.map { "divergent: \($0.number): \(divergences[$0.number]?.reason ?? "")" }
            + unlisted.flatMap { result in
                ["divergent: \(result.number): not as listed"] + result.comparison.differences
                    + result.errors.map { "  \($0)" }
            }
            + needlesslyListed.map { "needlessly listed: \($0)" }
    }
}
