// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import ErrorExplanations
import HTTPTypes
import Hummingbird

/// Makes a page of what was thrown, by the catalogue of errors.
struct ErrorPages: RouterMiddleware {
    typealias Context = WebContext

    let pages: Pages

    func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as WebError {
            return pages.page(error.explanation, status: error.status, in: context.session)
        } catch let error as HTTPError where error.status == .notFound {
            return pages.page(WebError.notFound.explanation, status: .notFound, in: context.session)
        } catch {
            var failure = Failure(error)
            failure.optionNames = []
            let explanation = ErrorExplanation(
                failure.code, failure.message, reason: failure.explanation.reason, advice: failure.advice)
            return pages.page(explanation, status: .badRequest, in: context.session)
        }
    }
}
