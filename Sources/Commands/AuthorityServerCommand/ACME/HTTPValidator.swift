// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEServer
import Countersign
import ErrorExplanations
import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Looks at challenges of `http-01` (RFC 8555 section 8.3).
struct HTTPValidator: ChallengeValidator {
    private static let largestAnswer = 16_384

    private let session: Session
    /// 80 but in tests.
    private let port: Int

    init(port: Int) {
        // A redirect may lead to https, whose certificate may be the one that is to be replaced.
        var configuration = Session.Configuration(trust: TrustPolicy(validation: .dangerouslyDisabled))
        configuration.totalTimeout = ChallengeValidators.patience
        configuration.redirectLimit = 10
        // A client of ACME must not have the server send requests to other services of the network.
        configuration.redirectDecision = { redirect in
            guard let url = URL(string: redirect.to) else { return .refuse }
            return [80, 443, port].contains(url.port ?? (url.scheme == "https" ? 443 : 80)) ? .follow : .refuse
        }
        (session, self.port) = (Session(configuration), port)
    }

    var kinds: Set<ACME.Challenge.Kind> { [.http01] }

    func validate(_ task: ValidationTask) async throws -> ValidationOutcome {
        let host =
            task.identifier.type == .ip && task.identifier.value.contains(":")
            ? "[\(task.identifier.value)]" : task.identifier.value
        let url = "http://\(host)\(port == 80 ? "" : ":\(port)")\(KeyAuthorization.path(token: task.token))"
        let answer: String
        do {
            let response = try await session.get(url).expecting(.ok)
            answer = String(buffer: try await response.body.collect(upTo: Self.largestAnswer))
        } catch let error as SessionError {
            return .invalid(.connection, "\(url) could not be fetched. \(error.explanation.message)")
        }
        // White space at the end is the server's.
        guard answer.prefix(while: { !$0.isWhitespace }) == task.authorization.text,
            answer.drop(while: { !$0.isWhitespace }).allSatisfy(\.isWhitespace)
        else { return .invalid(.unauthorized, "\(url) does not hold the key authorization.") }
        return .valid
    }
}
