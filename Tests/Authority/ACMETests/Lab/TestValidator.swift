// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEServers

/// A validator without network access, whose result a function decides.
struct TestValidator: ChallengeValidator {
    var kinds: Set<ACME.ACMEChallenge.Kind> = [.http01, .dns01, .tlsALPN01]
    var look: @Sendable (ValidationTask) async throws -> Void = { _ in }

    func validate(_ task: ValidationTask) async throws -> ValidationOutcome {
        do {
            try await look(task)
            return .valid
        } catch let failure as ValidationFailure {
            return .invalid(failure.kind, failure.detail)
        }
    }
}

/// The error that a test's function throws if the proof is missing.
struct ValidationFailure: Error {
    let kind: ACMEProblem.Kind
    let detail: String

    init(_ kind: ACMEProblem.Kind, _ detail: String) { (self.kind, self.detail) = (kind, detail) }
}
