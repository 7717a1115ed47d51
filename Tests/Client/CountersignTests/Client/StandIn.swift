// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import HTTPTypes
import NIOConcurrencyHelpers

/// A client for tests that implements only the required method.
struct StandIn: RequestSender {
    let requests = NIOLockedValueBox<[SessionRequest]>([])
    let answer: @Sendable (SessionRequest) async throws -> SessionResponse

    init(answer: @escaping @Sendable (SessionRequest) async throws -> SessionResponse) {
        self.answer = answer
    }

    /// Creates a client that gives the same response to every request.
    init(_ status: HTTPResponse.Status = .ok, type: String? = "application/json", text: String) {
        self.init { request in
            try SessionResponse(
                to: request, status: status, headerFields: type.map { [.contentType: $0] } ?? [:], body: .text(text))
        }
    }

    var last: SessionRequest? { requests.withLockedValue { $0.last } }

    func send(_ request: SessionRequest) async throws -> SessionResponse {
        requests.withLockedValue { $0.append(request) }
        return try await answer(request)
    }
}
