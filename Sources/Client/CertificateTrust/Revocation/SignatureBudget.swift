// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Bounds the signatures of lists, responses and their signers that are checked in an evaluation, however many paths and certificates it
/// looks at, and however deep its searches for signers lead.
///
/// Where it is used up nothing is trusted, also where a policy lets unknown answers pass: a hostile chain could use it up on
/// purpose, so that its own revocation is not read.
final class EvaluationBudget {
    static let limit = 128

    private var remaining = EvaluationBudget.limit
    private(set) var isExhausted = false

    fileprivate func spend() throws(RevocationProblem) {
        guard remaining > 0 else {
            isExhausted = true
            throw .budgetExhausted
        }
        remaining -= 1
    }
}

/// Bounds the signatures that are checked for one certificate, however many lists, signers or responses there are.
struct SignatureBudget {
    private var remaining = 8
    private let evaluation: EvaluationBudget

    init(within evaluation: EvaluationBudget) { self.evaluation = evaluation }

    mutating func spend() throws(RevocationProblem) {
        guard remaining > 0 else { throw .budgetExhausted }
        remaining -= 1
        try evaluation.spend()
    }
}
