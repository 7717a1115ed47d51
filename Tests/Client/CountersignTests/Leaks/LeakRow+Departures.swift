// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import Testing

/// Rows in which a redirect changes the origin, so that the client must send no secret to the new one.
extension LeakRow {
    /// The part of the origin that a redirect changes.
    private enum Change: String, CaseIterable {
        case host, port, toTLS, toNoTLS, toAnAddressWithoutTLS

        var isSecureBefore: Bool { self == .toNoTLS || self == .toAnAddressWithoutTLS }
        var isSecureAfter: Bool { self == .toTLS }
        var host: String { self == .host || self == .toAnAddressWithoutTLS ? "127.0.0.1" : "localhost" }

        var source: String {
            switch self {
            case .host: "CVE-2018-1000007"
            case .port, .toTLS: "CVE-2022-27774"
            case .toNoTLS, .toAnAddressWithoutTLS: "CVE-2022-27774, RFC 9110 section 15.4"
            }
        }
    }

    /// The part of a request that contains the secret.
    private enum Bearing: String, CaseIterable {
        case handlersAnswer, ownPassword, ownPasswordUnasked, ownToken, login, authorization, cookie, customField
        case ownPasswordFirst, configuredPassword, configuredToken

        static let secret = "s3cret-of-origin"

        var handlers: ChallengeHandlers {
            let handler: ClosureHandler = .closure { $0.failureCount == 0 ? .use(.mary(Self.secret)) : .performDefault }
            // The handler would answer a challenge of the redirect's target, but that host sends none.
            return self == .handlersAnswer ? [.basic: handler] : [:]
        }

        func equip(_ request: inout SessionRequest) {
            switch self {
            case .handlersAnswer, .login, .configuredPassword, .configuredToken: break
            case .ownPasswordFirst: request.credential = .mary(Self.secret).sending(.immediatelyWithoutTLS)
            case .ownPassword: request.credential = .mary(Self.secret)
            case .ownPasswordUnasked:
                request.credential = .mary(Self.secret)
                request.preemptiveMethod = .basic
            case .ownToken:
                request.credential = .token(Secret(Self.secret))
                request.preemptiveMethod = .bearer
            case .authorization: request.headerFields[.authorization] = "Bearer \(Self.secret)"
            case .cookie: request.headerFields[.cookie] = "session=\(Self.secret)"
            case .customField: request.headerFields[.apiKey] = Self.secret
            }
        }

        /// The credential that the configuration has for the origin.
        var configured: Credential? {
            switch self {
            case .configuredPassword: .mary(Self.secret).sending(.immediatelyWithoutTLS)
            case .configuredToken: .token(Secret(Self.secret)).sending(.immediatelyWithoutTLS)
            default: nil
            }
        }

        var isAskedFor: Bool { ![.cookie, .customField].contains(self) }
    }

    static let departures = Change.allCases.flatMap { change in Bearing.allCases.map { departure(change, $0) } }

    private static func departure(_ change: Change, _ bearing: Bearing) -> LeakRow {
        LeakRow(
            "redirect, \(change), with \(bearing)",
            bearing == .cookie ? "CVE-2022-27776" : change.source, guarded: [.init(Bearing.secret, at: [.origin])],
            arrivals: [.init("GET /landed", at: .other)]
        ) { scene async throws in
            let other = try await scene.serve(.other, isSecure: change.isSecureAfter) { _ in .init(.ok) }
            let redirect = LeakServer.redirecting(to: other.url("/landed", host: change.host))
            let origin = try await scene.serve(.origin, isSecure: change.isSecureBefore) { request in
                let asked = LeakServer.asking()(request)
                return bearing.isAskedFor && request.head.headerFields[.authorization] == nil
                    ? asked : redirect(request)
            }
            let login = bearing == .login ? "mary:\(Bearing.secret)@" : ""
            let session = scene.session(bearing.handlers) { $0.credentials[origin.url()] = bearing.configured }
            let status = await scene.get(origin.url(login: login), in: session, bearing.equip)
            #expect(status == 200)
        }
    }
}

extension HTTPField.Name {
    /// A non-standard field for a secret, as many services use.
    static let apiKey = HTTPField.Name("X-Api-Key") ?? .cookie
}
