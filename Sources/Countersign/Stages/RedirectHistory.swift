// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTypes

/// Where a request has been, so that it neither goes round in circles nor on for ever (RFC 9110 section 15.4).
struct RedirectHistory {
    /// A form that was sent is often answered with a redirect to the page that it stands on: another method is another step.
    private struct Step: Hashable {
        let url: HTTPURL
        let method: HTTPRequest.Method
    }

    private let limit: Int
    private let start: Step
    private var later: [Step] = []

    /// How many redirects were followed.
    var count: Int { later.count }

    init(from url: HTTPURL, method: HTTPRequest.Method, limit: Int) {
        self.limit = limit
        start = Step(url: url, method: method)
    }

    /// - Throws: ``SessionError/redirectLoop(_:)``, ``SessionError/tooManyRedirects(limit:)``.
    mutating func follow(to url: HTTPURL, method: HTTPRequest.Method) throws {
        let step = Step(url: url, method: method)
        let isLoop = step == start || later.contains(step)
        later.append(step)
        guard !isLoop else { throw SessionError.redirectLoop(([start] + later).map(\.url.redacted)) }
        guard later.count <= limit else { throw SessionError.tooManyRedirects(limit: limit) }
    }
}
