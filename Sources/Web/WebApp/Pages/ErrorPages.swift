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
    let fetcher: Fetcher

    func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            let frame = Pages.Frame("Not done", in: nil, for: context.session, await fetcher.settings)
            switch error {
            case let error as WebError: return pages.page(error.explanation, status: error.status, in: frame)
            case let error as HTTPError where error.status == .notFound:
                return pages.page(WebError.notFound.explanation, status: .notFound, in: frame)
            default:
                var failure = Failure(error)
                failure.optionNames = []
                let explanation = ErrorExplanation(
                    failure.code, failure.message, reason: failure.explanation.reason, advice: failure.advice)
                return pages.page(explanation, status: .badRequest, in: frame)
            }
        }
    }
}
