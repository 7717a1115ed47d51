// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The outcomes compared with the cases' expectations.
struct LimboScore {
    struct Divergence: Hashable {
        let id: String
        let reasons: [String]
    }

    private struct Count {
        var right = 0
        var all = 0
    }

    private static let slowestShown = 5

    /// The divergences, sorted by id.
    let divergences: [Divergence]
    /// The ids of listed divergences that no longer occur.
    let obsoleteListings: [String]
    private let listed: [String: String]
    private var counts: [String: Count] = [:]
    private var total = Count()
    private let slowest: [(id: String, time: Duration)]

    init(_ outcomes: [(case: LimboCase, outcome: LimboOutcome)], listed: [String: String] = LimboDivergences.reasons) {
        let (right, wrong) = (
            outcomes.filter { $0.outcome.result == $0.case.expectedResult },
            outcomes.filter { $0.outcome.result != $0.case.expectedResult }
        )
        self.listed = listed
        divergences = wrong.map { Divergence(id: $0.case.id, reasons: $0.outcome.reasons) }.sorted { $0.id < $1.id }
        obsoleteListings = right.map(\.case.id).filter { listed[$0] != nil }.sorted()
        for one in outcomes { counts[one.case.category, default: Count()].all += 1 }
        for one in right { counts[one.case.category]?.right += 1 }
        total = Count(right: right.count, all: outcomes.count)
        slowest = outcomes.sorted { $0.outcome.time > $1.outcome.time }.prefix(Self.slowestShown)
            .map { ($0.case.id, $0.outcome.time) }
    }

    var unlisted: [Divergence] { divergences.filter { listed[$0.id] == nil } }

    /// Whether the divergences are exactly the listed ones.
    var isAsListed: Bool { unlisted.isEmpty && obsoleteListings.isEmpty }

    /// The results as text for the user: every category, divergence and needless listing, and the slowest cases.
    var lines: [String] {
        counts.sorted { $0.key < $1.key }.map { "\($0.value.right) of \($0.value.all)  \($0.key)" }
            + ["\(total.right) of \(total.all)  in total"]
            + divergences.map { "divergent: \($0.id): \($0.result) (\(listed[$0.id] ?? "not listed"))" }
            + obsoleteListings.map { "needlessly listed: \($0)" }
            + slowest.map { "slowest: \($0.id): \(Self.milliseconds($0.time)) ms" }
    }

    private static func milliseconds(_ time: Duration) -> Double {
        (time / .milliseconds(1) * 1000).rounded() / 1000
    }
}

extension LimboScore.Divergence {
    /// The actual result.
    var result: String { reasons.isEmpty ? "trusted" : reasons.joined(separator: ", ") }
}

/// The results of a run, according to x509-limbo's schema.
struct LimboResult: Encodable {
    struct Testcase: Encodable {
        let id: String
        let actualResult: LimboCase.Result
        let context: String?

        init(_ testcase: LimboCase, _ outcome: LimboOutcome) {
            id = testcase.id
            actualResult = outcome.result
            context = outcome.reasons.isEmpty ? nil : outcome.reasons.joined(separator: "\n")
        }

        private enum CodingKeys: String, CodingKey {
            case id
            case actualResult = "actual_result"
            case context
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(actualResult, forKey: .actualResult)
            // The schema requires the key even if it is null.
            try container.encode(context, forKey: .context)
        }
    }

    let version = 1
    let harness = "countersign"
    let results: [Testcase]

    init(_ outcomes: [(case: LimboCase, outcome: LimboOutcome)]) {
        results = outcomes.map { Testcase($0.case, $0.outcome) }
    }
}

/// The outcome of a case.
struct LimboOutcome: Sendable {
    /// The reasons for which the chain is not trusted; empty if it is trusted.
    let reasons: [String]
    /// The duration of the evaluation without the parsing.
    let time: Duration

    var result: LimboCase.Result { reasons.isEmpty ? .success : .failure }
}

/// The cases of x509-limbo and of PKITS whose outcomes differ from the expected ones, with the reasons.
enum LimboDivergences {
    static let reasons: [String: String] = [
        "pkits::section1::4.1.4": "DSA keys are not supported",
        "pkits::section1::4.1.5": "DSA keys are not supported",
    ]
}
