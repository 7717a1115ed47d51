// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import HTTPTypes
import NIOConcurrencyHelpers

/// Stands in for a session: the one requirement, and nothing else.
struct StandIn: Client {
    let requests = NIOLockedValueBox<[Request]>([])
    let answer: @Sendable (Request) async throws -> Response

    init(answer: @escaping @Sendable (Request) async throws -> Response) {
        self.answer = answer
    }

    /// The same response to everything.
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
