// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEServers
import CommandSupport
import Countersign
import ErrorExplanations
import EssentialFoundation
import NIOCore

/// Passes each challenge to the validator for its type.
struct ChallengeValidators: ChallengeValidator {
    /// The timeout for a client's answer.
    static let timeout: Duration = .seconds(10)

    let validators: [any ChallengeValidator]

    var kinds: Set<ACME.ACMEChallenge.Kind> { Set(validators.flatMap(\.kinds)) }

    func validate(_ task: ValidationTask) async throws -> ValidationOutcome {
        guard let validator = validators.first(where: { $0.kinds.contains(task.kind) }) else {
            return .invalid(.malformed, "The server does not support \(task.kind.rawValue) challenges.")
        }
        return try await validator.validate(task)
    }
}

/// Validates `http-01` challenges (RFC 8555 section 8.3).
struct HTTPValidator: ChallengeValidator {
    private static let maximumAnswerSize = 16_384

    private let session: HTTPSession
    /// The port, which is 80 except in tests.
    private let port: Int

    init(port: Int) {
        // A redirect may lead to https with the very certificate that is to be replaced.
        var configuration = HTTPSession.Configuration(trust: TrustPolicy(validation: .dangerouslyDisabled))
        configuration.totalTimeout = ChallengeValidators.timeout
        configuration.redirectLimit = 10
        // An ACME client must not be able to make the server send requests to other services of the network.
        configuration.redirectDecision = { redirect in
            guard let url = URL(string: redirect.to) else { return .refuse }
            return [80, 443, port].contains(url.port ?? (url.scheme == "https" ? 443 : 80)) ? .follow : .refuse
        }
        (session, self.port) = (HTTPSession(configuration), port)
    }

    var kinds: Set<ACME.ACMEChallenge.Kind> { [.http01] }

    func validate(_ task: ValidationTask) async throws -> ValidationOutcome {
        let host =
            task.identifier.type == .ip && task.identifier.value.contains(":")
            ? "[\(task.identifier.value)]" : task.identifier.value
        let url = "http://\(host)\(port == 80 ? "" : ":\(port)")\(KeyAuthorization.path(token: task.token))"
        let answer: String
        do {
            let response = try await session.get(url).expecting(.ok)
            answer = String(buffer: try await response.body.collect(upTo: Self.maximumAnswerSize))
        } catch let error as SessionError {
            return .invalid(.connection, "\(url) could not be fetched. \(error.explanation.message)")
        }
        // Servers may append white space.
        guard answer.prefix(while: { !$0.isWhitespace }) == task.authorization.text,
            answer.drop(while: { !$0.isWhitespace }).allSatisfy(\.isWhitespace)
        else { return .invalid(.unauthorized, "\(url) does not hold the key authorization.") }
        return .valid
    }
}

/// Validates `dns-01` challenges (RFC 8555 section 8.4) by a command, which can query the authoritative zones.
struct DNSValidator: ChallengeValidator {
    /// The shell command; it gets the name of a TXT record and a value, and exits with 0 if the record has the value.
    let command: String

    var kinds: Set<ACME.ACMEChallenge.Kind> { [.dns01] }

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
