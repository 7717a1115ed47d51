// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEServer
import CommandSupport

/// Looks at challenges of `dns-01` (RFC 8555 section 8.4) by a command, which knows where the zones of the house are.
struct DNSValidator: ChallengeValidator {
    /// A shell command; it gets the name of a TXT record and a value, and its status is 0 where the record has the value.
    let command: String

    var kinds: Set<Challenge.Kind> { [.dns01] }

    func validate(_ task: ValidationTask) async throws -> ValidationOutcome {
        let record = KeyAuthorization.recordName(for: task.identifier.value)
        let program = TimedProgram(
            ["/bin/sh", "-c", command + " \"$@\"", "sh", record, task.authorization.recordValue],
            output: "/dev/null", errors: "/dev/null")
        switch try await program.run(within: .seconds(60)) {
        case .exited(0): return .valid
        case .exited, .signalled: return .invalid(.unauthorized, "\(record) has no TXT record with the value.")
        case .timedOut: return .invalid(.dns, "\(record) could not be looked up in time.")
        }
    }
}
