// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME
internal import ErrorExplanations
internal import EssentialFoundation
public import HTTPTypes

/// A response for the HTTP server to send.
public struct ACMEServerResponse: Sendable {
    /// The status.
    public var status: HTTPResponse.Status
    /// The header fields, without `Content-Length` and `Transfer-Encoding`, which the HTTP server adds.
    public var headers: HTTPFields
    /// The body, which can be empty.
    public var body: [UInt8]

    init(status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body: [UInt8] = []) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// Creates a response with a JSON resource.
    init(json value: some Encodable, status: HTTPResponse.Status = .ok, type: String = "application/json") throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        self.init(status: status, headers: [.contentType: type], body: Array(try encoder.encode(value)))
    }

    /// Returns a copy with an additional header field.
    func adding(_ name: HTTPField.Name, _ value: String?) -> Self {
        guard let value else { return self }
        var response = self
        response.headers.append(HTTPField(name: name, value: value))
        return response
    }

    /// Returns a copy with an additional link (RFC 8288).
    func linking(to url: String, _ relation: String) -> Self { adding(.link, "<\(url)>;rel=\"\(relation)\"") }
}

extension HTTPField.Name {
    static let replayNonce = parsed("Replay-Nonce")
    static let link = parsed("Link")

    private static func parsed(_ name: String) -> Self {
        guard let name = Self(name) else { preconditionFailure("\(name) is a token of RFC 9110") }
        return name
    }
}

/// A request that the HTTP server passes to the ACME server.
public struct ACMEServerRequest: Sendable {
    /// The method.
    public var method: HTTPRequest.Method
    /// The path relative to the server's base URL, which begins with a slash and has no query.
    public var path: String
    /// The value of the `Content-Type` field; `nil` if there is none.
    public var contentType: String?
    /// The complete body; `nil` if it is longer than ``ACMEServer/maximumRequestSize``, the limit for reading it.
    public var body: [UInt8]?

    /// Creates a request from its parts.
    public init(method: HTTPRequest.Method, path: String, contentType: String? = nil, body: [UInt8]? = []) {
        (self.method, self.path, self.contentType, self.body) = (method, path, contentType, body)
    }
}

/// An error that is sent to the client as a problem document.
struct Refusal: Error {
    var problem: ACMEProblem
    var status: HTTPResponse.Status
    var headers: HTTPFields = [:]

    init(
        _ kind: ACMEProblem.Kind, _ detail: String, status: HTTPResponse.Status? = nil, parts: [ACMEProblem.Part]? = nil
    ) {
        self.status = status ?? Self.statuses[kind] ?? .badRequest
        problem = ACMEProblem(kind, detail, status: self.status.code, subproblems: parts)
    }

    /// The HTTP statuses of the problem types whose status is not 400.
    private static let statuses: [ACMEProblem.Kind: HTTPResponse.Status] = [
        .unauthorized: .forbidden, .orderNotReady: .forbidden, .externalAccountRequired: .forbidden,
        .userActionRequired: .forbidden, .rateLimited: .tooManyRequests, .serverInternal: .internalServerError,
        .alreadyReplaced: .conflict,
    ]

    static func notFound(_ what: String) -> Self { Self(.malformed, "There is no such \(what).", status: .notFound) }

    /// Creates a refusal of a signature that cannot be read or verified.
    init(_ error: JWSError) {
        switch error {
        case .unsupportedAlgorithm:
            self.init(.badSignatureAlgorithm, error.explanation.message)
            problem.algorithms = JWSAlgorithm.asymmetric
        case .unusableKey: self.init(.badPublicKey, error.explanation.reason)
        case .tooLarge: self.init(.malformed, error.explanation.message, status: .contentTooLarge)
        default: self.init(.malformed, error.explanation.message)
        }
    }

    var response: ACMEServerResponse {
        get throws {
            var response = try ACMEServerResponse(json: problem, status: status, type: "application/problem+json")
            response.headers.append(contentsOf: headers)
            return response
        }
    }
}
