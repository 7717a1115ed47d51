// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations

/// Why evidence about revocation could not be used, as JSON has it.
package struct ProblemRecord: Codable {
    /// The code of the problem, such as `revocation.outdated`.
    let code: String
    /// An object identifier.
    var identifier: String?
    var refusal: OCSPResponse.Refusal?

    init(_ problem: RevocationProblem) {
        code = problem.code
        switch problem {
        case .unknownCriticalExtension(let identifier): self.identifier = identifier
        case .responderRefused(let refusal): self.refusal = refusal
        default: break
        }
    }

    private static let plain: [RevocationProblem] = [
        .malformed, .badSignature, .weakSignature, .unsupportedAlgorithm, .signerNotAuthorized, .notYetValid,
        .outdated, .noNextUpdate, .deltaList, .partialList, .attributeList, .wrongScope, .listNumber,
        .nonceMismatch, .unknownToResponder, .budgetExhausted,
    ]

    /// The problem.
    ///
    /// - Throws: ``RecordError``.
    func problem() throws -> RevocationProblem {
        if let problem = Self.plain.first(where: { $0.code == code }) { return problem }
        if let identifier { return .unknownCriticalExtension(identifier) }
        if let refusal { return .responderRefused(refusal) }
        throw RecordError.unknownCode(code)
    }
}
