// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import NIOCore
import TestServer

/// Calls a closure with a lab that has the servers of the tests.
@discardableResult
func withLab<Result>(_ body: (Lab) async throws -> Result) async throws -> Result {
    try await Lab.withServers(LabServer.Kind.usedByTests, body)
}

/// Calls a closure with a session that trusts the lab's authority.
@discardableResult
func withSession<Result>(
    _ lab: Lab, handlers: ChallengeHandlers = [:], proxy: Proxy? = nil, trust: TrustPolicy? = nil,
    recorder: Recorder = Recorder(), change: (inout HTTPSession.Configuration) -> Void = { _ in },
    _ body: (HTTPSession) async throws -> Result
) async throws -> Result {
    var configuration = HTTPSession.Configuration(
        trust: trust ?? TrustPolicy(anchors: .only([lab.authority])), handlers: handlers, proxy: proxy)
    configuration.observer = recorder.note
    change(&configuration)
    return try await withSession(configuration, body)
}

/// Calls a closure with a session, and closes the session and stops the servers afterwards, even after an error.
@discardableResult
func withSession<Result>(
    _ configuration: HTTPSession.Configuration, stopping servers: [ScriptedServer] = [],
    _ body: (HTTPSession) async throws -> Result
) async throws -> Result {
    let session = HTTPSession(configuration)
    do {
        let result = try await body(session)
        await session.close()
        for server in servers { await server.stop() }
        return result
    } catch {
        await session.close()
        for server in servers { await server.stop() }
        throw error
    }
}

extension HTTPSession {
    func text(_ url: String, trust: TrustPolicy? = nil) async throws -> (status: Int, body: String) {
        let response = try await send(SessionRequest(url: url, trust: trust))
        return (response.status.code, String(buffer: try await response.body.collect(upTo: 1 << 20)))
    }
}

extension LabServer {
    /// Returns the URL of another resource of the same server.
    func url(_ path: String) -> String {
        let start = url.index(
            url.startIndex,
            offsetBy: url.firstRange(of: "://").map { url.distance(from: url.startIndex, to: $0.upperBound) } ?? 0)
        let authority = url[start...].prefix { $0 != "/" }
        return url[..<start] + authority + path
    }
}
