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

    private let divergent: [Result]
    private let needlesslyListed: [Int]
    private let listed: [Int: String]
    private var counts: [String: Count] = [:]
    private var total = Count()

    init(_ results: [Result], listed: [Int: String] = CurlDivergences.reasons) {
        self.listed = listed
        divergent = results.filter { !$0.comparison.isSame }
        needlesslyListed = results.filter { $0.comparison.isSame && listed[$0.number] != nil }.map(\.number)
        for result in results {
            counts[result.theme, default: Count()].all += 1
            if result.comparison.isSame { counts[result.theme]?.right += 1 }
        }
        total = Count(right: results.count - divergent.count, all: results.count)
    }

    /// Whether nothing diverges but what is listed, and all that is listed does.
    var isAsListed: Bool { divergent.allSatisfy { listed[$0.number] != nil } && needlesslyListed.isEmpty }

    /// For a person: every theme, and every divergence with what was received instead.
    var lines: [String] {
        counts.sorted { $0.key < $1.key }.map { "\($0.value.right) of \($0.value.all)  \($0.key)" }
            + [
                "\(total.right) of \(total.all)  in total, \(divergent.count { listed[$0.number] != nil }) more as listed"
            ]
            + divergent.flatMap { result -> [String] in
                guard let reason = listed[result.number] else {
                    return ["divergent: \(result.number): not listed"] + result.comparison.differences
                        + result.errors.map { "  \($0)" }
                }
                return ["divergent: \(result.number): \(reason)"]
            }
            + needlesslyListed.map { "needlessly listed: \($0)" }
    }
}
