// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEServer

/// Has each kind of challenge looked at by the validator that knows it.
struct ChallengeValidators: ChallengeValidator {
    /// How long a client's answer is waited for.
    static let patience: Duration = .seconds(10)

    let validators: [any ChallengeValidator]

    var kinds: Set<Challenge.Kind> { Set(validators.flatMap(\.kinds)) }

    func validate(_ task: ValidationTask) async throws -> ValidationOutcome {
        guard let validator = validators.first(where: { $0.kinds.contains(task.kind) }) else {
            return .invalid(.malformed, "The server does not look at \(task.kind.rawValue).")
        }
        return try await validator.validate(task)
    }
}
