// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
import HTTPTypes
import NIOCore

/// Reaches protected resources: sends requests, decides on trust, answers challenges, keeps connections.
public struct Session: Sendable {
    let core: SessionCore

    /// A session with its own connections and its own memory of credentials.
    public init(_ configuration: Configuration) {
        core = SessionCore(configuration: configuration)
    }

    /// A session with the default configuration but for what is given here.
    ///
    /// - Parameters:
    ///   - trust: What the chain of every server must satisfy; the operating system's anchors decide unless said otherwise.
    ///   - handlers: They answer the challenges that the session cannot answer from memory.
    ///   - proxy: Every request goes through it; `nil` for none.
    public init(trust: TrustPolicy = TrustPolicy(), handlers: ChallengeHandlers = [:], proxy: Proxy? = nil) {
        self.init(Configuration(trust: trust, handlers: handlers, proxy: proxy))
    }

    /// A session that fetches evidence for the trust decisions of another session, and none for its own.
    init(fetchingEvidenceWith configuration: Configuration, within reach: EvidenceReach) {
        core = SessionCore(configuration: configuration, reach: reach)
    }

    /// Sends a request, answers what stands in its way, and follows redirects.
    ///
    /// A 401 that no handler answers is delivered as it is; a 407 is an error, because it is not the resource's.
    ///
    /// - Throws: ``SessionError``; `CancellationError` where the task is cancelled; what a handler throws.
    public func send(_ request: Request) async throws -> Response {
        guard let metrics = core.metrics else { return try await complete(request) }
        return try await metrics.measure(request.method) { try await complete(request) }
    }

    private func complete(_ request: Request) async throws -> Response {
        guard let limit = request.totalTimeout ?? core.configuration.totalTimeout else {
            var journey = try Journey(request, core: core)
            return try await journey.complete()
        }
        let deadline = NIODeadline.now() + TimeAmount(limit)
        let start = try Journey(request, core: core, deadline: deadline == .distantFuture ? nil : deadline)
        // The end of time is further away than a clock can be asked to wait.
        guard deadline != .distantFuture else {
            var journey = start
            return try await journey.complete()
        }
        return try await Deadline(deadline, of: start.url.endpoint).bound {
            var journey = start
            return try await journey.complete()
        }
    }

    /// Closes every connection that is idle, and the others when their responses are read; later requests fail.
    public func close() async {
        await core.pool.close()
        await core.evidence?.close()
    }
}

extension Session: CustomStringConvertible, CustomReflectable {
    /// Returns "Session", so that printing a session never reveals its state.
    public var description: String { "Session" }

    /// Shows how the session behaves, and nothing of what it remembers or has open.
    public var customMirror: Mirror { Mirror(self, children: ["configuration": core.configuration]) }
}
