// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import HTTPTypes
import Hummingbird
import Logging

/// Tells clients to try again later, and the operator why, if the authority's state or key cannot be used.
struct Failures: RouterMiddleware {
    typealias Context = BasicRequestContext

    let logger: Logger

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as any ExplainedError {
            logger.error("\(request.method) \(request.uri.path.printable): \(error)")
            throw HTTPError(.serviceUnavailable, headers: [.retryAfter: "60"])
        }
    }
}
