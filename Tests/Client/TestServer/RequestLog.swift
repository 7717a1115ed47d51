// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ChallengeLab
import NIOConcurrencyHelpers

/// Records the requests that lab servers receive.
package final class RequestLog: Sendable {
    private let box = NIOLockedValueBox<[ScriptedServer.Request]>([])

    /// The requests in the order of their arrival.
    package var requests: [ScriptedServer.Request] { box.withLockedValue { $0 } }

    package init() {}

    fileprivate func record(_ request: ScriptedServer.Request) {
        box.withLockedValue { $0.append(request) }
    }
}

extension ScriptedServer {
    /// Starts a server that records each request before it replies.
    package static func start(
        recordingIn log: RequestLog, _ reply: @escaping @Sendable (Request) -> Reply
    ) async throws -> ScriptedServer {
        try await start { request in
            log.record(request)
            return reply(request)
        }
    }
}
