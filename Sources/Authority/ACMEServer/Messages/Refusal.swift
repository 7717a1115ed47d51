// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME
internal import ErrorExplanations
internal import HTTPTypes

/// A response that says why a request is refused.
struct Refusal: Error {
    var problem: Problem
    var status: HTTPResponse.Status
    var headers: HTTPFields = [:]

    init(_ kind: Problem.Kind, _ detail: String, status: HTTPResponse.Status? = nil, parts: [Problem.Part]? = nil) {
        self.status = status ?? Self.statuses[kind] ?? .badRequest
        problem = Problem(kind, detail, status: self.status.code, subproblems: parts)
    }

    /// Where it is not 400.
    private static let statuses: [Problem.Kind: HTTPResponse.Status] = [
        .unauthorized: .forbidden, .orderNotReady: .forbidden, .externalAccountRequired: .forbidden,
        .userActionRequired: .forbidden, .rateLimited: .tooManyRequests, .serverInternal: .internalServerError,
        .alreadyReplaced: .conflict,
    ]

    static func notFound(_ what: String) -> Self { Self(.malformed, "There is no such \(what).", status: .notFound) }

    /// A signature that cannot be read or verified.
    init(_ error: JWSError) {
        switch error {
        case .unsupportedAlgorithm:
            self.init(.badSignatureAlgorithm, error.explanation.message)
            problem.algorithms = SignatureAlgorithm.asymmetric
        case .unusableKey: self.init(.badPublicKey, error.explanation.reason)
        case .tooLarge: self.init(.malformed, error.explanation.message, status: .contentTooLarge)
        default: self.init(.malformed, error.explanation.message)
        }
    }

    var response: ServerResponse {
        get throws {
            var response = try ServerResponse(json: problem, status: status, type: "application/problem+json")
            response.headers.append(contentsOf: headers)
            return response
        }
    }
}
