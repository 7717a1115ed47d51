// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What was received beside what must have been.
struct Comparison: Sendable {
    struct Sequences: Hashable, Sendable {
        let expected: [ComparedRequest]
        let received: [ComparedRequest]
    }

    private let sequences: [Sequences]

    init(_ outcome: ReplayOutcome) {
        let rules = ComparisonRules(outcome.test)
        sequences = ServerRole.allCases.compactMap { role in
            guard let expected = outcome.test.expectedRequests(at: role) else { return nil }
            return Sequences(
                expected: expected.heads.map { ComparedRequest($0, rules: rules, isProven: true) },
                received: (outcome.received[role] ?? []).map { ComparedRequest($0, rules: rules, isProven: false) })
        }
    }

    var isSame: Bool { sequences.allSatisfy { $0.expected == $0.received } }

    /// All that was compared, the origin's first.
    var received: [String] { sequences.flatMap { $0.received.map(\.description) } }

    /// For a person, where they differ.
    var differences: [String] {
        sequences.filter { $0.expected != $0.received }.flatMap { sequences in
            sequences.expected.map { "  expected \($0)" } + sequences.received.map { "  received \($0)" }
        }
    }
}
