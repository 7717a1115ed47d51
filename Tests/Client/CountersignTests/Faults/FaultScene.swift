// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import ChallengeLab
import Countersign
import EssentialFoundation
import HTTPTypes
import Identities
import NIOCore
import NIOPosix

/// The identity, the event loops and the correct server that all rows share.
struct FaultScene: Sendable {
    private static let shared = Task { try await FaultScene() }

    /// The threads of the flooding servers, separate from the threads of other tests.
    let group: any EventLoopGroup
    let identity: Identity
    let good: ScriptedServer
    let trust: TrustPolicy

    static var started: FaultScene {
        get async throws { try await shared.value }
    }

    private init() async throws {
        group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let authority = try CertificateAuthority(name: "Fault Root", now: Date())
        identity = try authority.issue(.server(names: ["localhost"]), now: Date())
        good = try await ScriptedServer.start(presenting: identity) { _ in .init(.ok, body: "good") }
        trust = TrustPolicy(anchors: .only([authority.certificate]))
    }

    var configuration: HTTPSession.Configuration {
        var configuration = HTTPSession.Configuration(trust: trust)
        configuration.eventLoopGroup = group
        return configuration
    }

    /// Returns whether a request to the correct server succeeds.
    func expectGood(_ session: HTTPSession, _ url: String) async throws -> Bool {
        let answer = try await session.text(url)
        return answer.status == 200 && answer.body == "good"
    }
}
