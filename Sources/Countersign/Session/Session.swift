// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes

/// Reaches protected resources: sends requests, decides on trust, answers challenges, keeps connections.
public struct Session: Sendable {
    let core: SessionCore

    /// A session with its own connections and its own memory of credentials.
    public init(_ configuration: Configuration = Configuration()) {
        core = SessionCore(configuration: configuration)
    }

    /// A session that fetches what others decide on trust by, and nothing for itself.
    init(fetchingEvidenceWith configuration: Configuration) {
        core = SessionCore(configuration: configuration, fetchesEvidence: false)
    }

    /// Gets a resource.
    ///
    /// - Parameter url: An absolute URL of `http` or `https`.
    /// - Returns: The response's head, its body still to be read.
    /// - Throws: ``SessionError``; `CancellationError` where the task is cancelled; what a handler throws.
    public func get(_ url: String) async throws -> Response {
        try await send(Request(url: url))
    }

    /// Sends a request, answers what stands in its way, and follows redirects.
    ///
    /// A 401 that no handler answers is delivered as it is; a 407 is an error, because it is not the resource's.
    ///
    /// - Throws: ``SessionError``; `CancellationError` where the task is cancelled; what a handler throws.
    public func send(_ request: Request) async throws -> Response {
        var request = request
        var (url, userInfo) = try HTTPURL.parse(request.url)
        request.urlUserInfo = userInfo
        var trail = RedirectTrail(from: url, method: request.method, limit: core.configuration.redirectLimit)
        while true {
            var transaction = try Transaction(request, to: url, core: core)
            let response = try await transaction.perform()
            guard core.configuration.redirectLimit > 0, let location = response.redirectLocation else {
                return try response.decoded(for: request, under: core.configuration)
            }
            let next = try url.resolving(location: location)
            try await response.body.discard()
            request = request.redirected(
                to: next, from: url, by: response.status, accepted: transaction.acceptedOwnMethod)
            try trail.follow(to: next, method: request.method)
            core.report(.redirected(from: url.description, to: next.description))
            try request.checkBody(for: next)
            url = next
        }
    }

    /// Closes every connection that is idle, and the others when their responses are read; later requests fail.
    public func close() async {
        await core.pool.close()
        await core.evidence?.close()
    }
}

extension Session: CustomStringConvertible, CustomReflectable {
    /// No more than that it is one.
    public var description: String { "Session" }

    /// Shows how the session behaves, and nothing of what it remembers or has open.
    public var customMirror: Mirror { Mirror(self, children: ["configuration": core.configuration]) }
}

extension Response {
    /// Where a redirect leads; `nil` for every other response.
    fileprivate var redirectLocation: String? {
        [301, 302, 303, 307, 308].contains(status.code) ? headerFields[.location] : nil
    }
}
