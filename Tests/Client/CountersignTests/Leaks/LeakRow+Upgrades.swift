// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

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
        case ownPassword, login, authorization, handler, configuration
    }

    static let upgrades = upgradeRedirects.flatMap { redirect in Source.allCases.map { upgrade(redirect, $0) } }

    private static func upgrade(_ redirect: Upgrade, _ source: Source) -> LeakRow {
        let secret = "s3cret-of-origin"
        return LeakRow(
            "redirect, \(redirect.from) to \(redirect.to), with \(source)", "CVE-2022-27774, curl 14362",
            guarded: [.init(secret, at: redirect.isKept ? [.origin, .other] : [.origin])],
            arrivals: [.init("GET /landed", at: .other)]
        ) { scene async throws in
            let other = try await scene.serve(
                .other, isSecure: redirect.to.hasPrefix("https"),
                redirect.isKept ? LeakServer.asking() : { _ in .init(.ok) })
            let origin = try await scene.serve(
                .origin, isSecure: redirect.from.hasPrefix("https"),
                LeakServer.asking(then: .init(.found, [.location: redirect.to + "/landed"])))
            let handler: PasswordHandler = .password(
                user: "mary", password: Secret(secret), host: "localhost",
                port: try HostEndpoint(of: redirect.from).port, allowsPlainHTTP: true)
            let session = scene.session(source == .handler ? [.basic: handler] : [:]) { configuration in
                if source == .configuration { configuration.credentials[redirect.from] = .mary(secret) }
                for (url, server) in [(redirect.from, origin), (redirect.to, other)] {
                    guard let endpoint = try? HostEndpoint(of: url) else { continue }
                    configuration.connectTargets[endpoint] = .endpoint(
                        HostEndpoint(host: .localhost, port: server.port))
                }
            }
            let url = source == .login ? redirect.from.replacing("://", with: "://mary:\(secret)@") : redirect.from
            let status = await scene.get(url + "/", in: session) { request in
                if source == .ownPassword { request.credential = .mary(secret) }
                if source == .authorization { request.headerFields[.authorization] = "Bearer \(secret)" }
            }
            #expect(status == 200)
        }
    }
}
