// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What a run came to, as in x509-limbo's schema of results.
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
            // The schema wants the key also where there is nothing to say.
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
