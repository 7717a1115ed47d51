// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ChallengeLab
import Countersign
import HTTPTypes
import Testing
import TestServer

/// Rows for redirects to the same host over TLS, which keep the credential, and for those that only look like them.
extension LeakRow {
    /// A redirect between two servers of one host, or of two.
    private struct Upgrade: Sendable {
        let from: String
        let to: String
        let isKept: Bool
    }

    private static let upgradeRedirects = [
        Upgrade(from: "http://localhost", to: "https://localhost", isKept: true),
        Upgrade(from: "http://localhost", to: "https://LOCALHOST:443", isKept: true),
        Upgrade(from: "http://localhost", to: "https://localhost:8443", isKept: false),
        Upgrade(from: "http://localhost:8080", to: "https://localhost", isKept: false),
        Upgrade(from: "http://localhost", to: "https://127.0.0.1", isKept: false),
        Upgrade(from: "http://localhost", to: "http://localhost:443", isKept: false),
        Upgrade(from: "https://localhost", to: "http://localhost", isKept: false),
    ]

    /// The source of the credential.
    private enum Source: String, CaseIterable {
        case ownPassword, login, authorization, handler, configuration, configurationFirst
    }

    static let upgrades = upgradeRedirects.flatMap { redirect in Source.allCases.map { upgrade(redirect, $0) } }

    private static let secret = "s3cret-of-origin"

    private static func upgrade(_ redirect: Upgrade, _ source: Source) -> LeakRow {
        LeakRow(
            "redirect, \(redirect.from) to \(redirect.to), with \(source)", "CVE-2022-27774, curl 14362",
            guarded: [.init(secret, at: redirect.isKept ? [.origin, .other] : [.origin])],
            arrivals: [.init("GET /landed", at: .other)]
        ) { scene async throws in try await perform(redirect, source, in: scene) }
    }

    private static func perform(_ redirect: Upgrade, _ source: Source, in scene: LeakScene) async throws {
        let other = try await scene.serve(
            .other, isSecure: redirect.to.hasPrefix("https"), LeakServer.asking())
        let landing = ScriptedServer.Reply(.found, [.location: redirect.to + "/landed"])
        let origin = try await scene.serve(
            .origin, isSecure: redirect.from.hasPrefix("https"), LeakServer.asking(then: landing))
        let (first, second) = (try HostEndpoint(of: redirect.from), try HostEndpoint(of: redirect.to))
        let handler = PasswordHandler(
            user: "mary", password: Secret(secret), host: "localhost", port: first.port, allowsPlainHTTP: true)
        let handlers: ChallengeHandlers = source == .handler ? [.basic: handler] : [:]
        let session = scene.session(handlers) { configuration in
            switch source {
            case .configuration: configuration.credentials[redirect.from] = .mary(secret)
            case .configurationFirst: configuration.credentials[redirect.from] = .mary(secret).sending(.immediately)
            default: break
            }
            configuration.connectTargets[first] = .endpoint(HostEndpoint(host: .localhost, port: origin.port))
            configuration.connectTargets[second] = .endpoint(HostEndpoint(host: .localhost, port: other.port))
        }
        let login = source == .login ? "://mary:\(secret)@" : "://"
        let status = await scene.get(redirect.from.replacing("://", with: login) + "/", in: session) { request in
            if source == .ownPassword { request.credential = .mary(secret) }
            if source == .authorization { request.headerFields[.authorization] = "Bearer \(secret)" }
        }
        #expect(status == (redirect.isKept ? 200 : 401))
    }
}
