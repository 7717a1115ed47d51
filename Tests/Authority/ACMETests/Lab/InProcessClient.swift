// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEServer
@testable import Countersign
import Foundation
import HTTPTypes
import NIOCore

/// Hands a client's requests to a server in the same process, and lets a test change what comes back.
struct InProcessClient: Client {
    let server: ACMEServer
    /// Answers in the server's place, given the path below the base; `nil` leaves it to the server.
    var answer: @Sendable (_ path: String, Request) async throws -> Response? = { _, _ in nil }
    /// Changes what the server answered.
    var change: @Sendable (_ path: String, inout ServerResponse) -> Void = { _, _ in }
    /// Whether challenges are decided when the response to them comes.
    var waitsForValidation = true

    /// Leaves all requests to the server, and changes what it answers.
    static func changing(
        _ server: ACMEServer, waitsForValidation: Bool = true,
        _ change: @escaping @Sendable (_ path: String, inout ServerResponse) -> Void
    ) -> Self {
        Self(server: server, change: change, waitsForValidation: waitsForValidation)
    }

    func send(_ request: Request) async throws -> Response {
        let path = request.url.belowBase
        if let response = try await answer(path, request) { return response }
        var response = await server.respond(
            to: ServerRequest(
                method: request.method, path: path, contentType: request.body?.contentType,
                body: request.body?.bytes ?? []))
        if waitsForValidation, path.hasPrefix("/challenge/") { await server.finishValidations() }
        change(path, &response)
        return try Response(
            to: request, status: response.status, headerFields: response.headers,
            body: ResponseBody(ByteBuffer(bytes: response.body)))
    }
}

extension Response {
    /// A response with a text.
    init(
        to request: Request, status: HTTPResponse.Status = .ok, type: String = "application/json", text: String,
        fields: HTTPFields = [:]
    ) throws {
        var fields = fields
        fields[.contentType] = type
        try self.init(
            to: request, status: status, headerFields: fields, body: ResponseBody(ByteBuffer(string: text)))
    }
}

extension ServerResponse {
    /// Changes a JSON object in the body.
    mutating func edit(_ change: (inout [String: Any]) -> Void) {
        guard var object = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] else { return }
        change(&object)
        if let data = try? JSONSerialization.data(withJSONObject: object) { body = Array(data) }
    }
}
