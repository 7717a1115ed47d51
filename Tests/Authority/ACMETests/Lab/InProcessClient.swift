// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEServers
@testable import Countersign
import Foundation
import HTTPTypes
import NIOCore

/// A client that passes requests to a server in the same process, and lets a test change the responses.
struct InProcessClient: RequestSender {
    let server: ACMEServer
    /// Answers a request instead of the server, given the path below the base URL; `nil` leaves it to the server.
    var answer: @Sendable (_ path: String, SessionRequest) async throws -> SessionResponse? = { _, _ in nil }
    /// Changes a response of the server.
    var change: @Sendable (_ path: String, inout ACMEServerResponse) -> Void = { _, _ in }
    /// Whether a challenge is validated before its response returns.
    var waitsForValidation = true

    /// Creates a client that passes all requests to the server and changes its responses.
    static func changing(
        _ server: ACMEServer, waitsForValidation: Bool = true,
        _ change: @escaping @Sendable (_ path: String, inout ACMEServerResponse) -> Void
    ) -> Self {
        Self(server: server, change: change, waitsForValidation: waitsForValidation)
    }

    func send(_ request: SessionRequest) async throws -> SessionResponse {
        let path = request.url.belowBase
        if let response = try await answer(path, request) { return response }
        var response = await server.respond(
            to: ACMEServerRequest(
                method: request.method, path: path, contentType: request.body?.contentType,
                body: request.body?.bytes ?? []))
        if waitsForValidation, path.hasPrefix("/challenge/") { await server.finishValidations() }
        change(path, &response)
        return try SessionResponse(
            to: request, status: response.status, headerFields: response.headers,
            body: SessionResponseBody(ByteBuffer(bytes: response.body)))
    }
}

extension SessionResponse {
    /// Creates a response with a text body.
    init(
        to request: SessionRequest, status: HTTPResponse.Status = .ok, type: String = "application/json", text: String,
        fields: HTTPFields = [:]
    ) throws {
        var fields = fields
        fields[.contentType] = type
        try self.init(
            to: request, status: status, headerFields: fields, body: SessionResponseBody(ByteBuffer(string: text)))
    }
}

extension ACMEServerResponse {
    /// Changes a JSON object in the body.
    mutating func edit(_ change: (inout [String: Any]) -> Void) {
        guard var object = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] else { return }
        change(&object)
        if let data = try? JSONSerialization.data(withJSONObject: object) { body = Array(data) }
    }
}
