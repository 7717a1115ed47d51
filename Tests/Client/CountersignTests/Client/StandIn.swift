// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import HTTPTypes
import NIOConcurrencyHelpers

/// A client for tests that implements only the required method.
struct StandIn: Client {
    let requests = NIOLockedValueBox<[Request]>([])
    let answer: @Sendable (Request) async throws -> Response

    init(answer: @escaping @Sendable (Request) async throws -> Response) {
        self.answer = answer
    }

    /// Creates a client that gives the same response to every request.
    init(_ status: HTTPResponse.Status = .ok, type: String? = "application/json", text: String) {
        self.init { request in
            try Response(
                to: request, status: status, headerFields: type.map { [.contentType: $0] } ?? [:], body: .text(text))
        }
    }

    var last: Request? { requests.withLockedValue { $0.last } }

    func send(_ request: Request) async throws -> Response {
        requests.withLockedValue { $0.append(request) }
        return try await answer(request)
    }
}
