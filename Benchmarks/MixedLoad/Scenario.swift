// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import NIOCore

/// A kind of request, with its expected outcome.
struct Scenario: Sendable {
    enum Outcome: Sendable {
        case status(Int)
        /// A `SessionError` or any response, because other tests check the outcome for a faulty server.
        case typed
    }

    enum Content: Sendable {
        case none
        case bytes
        case stream
        case streamOnce
    }

    let name: String
    let url: String
    let outcome: Outcome
    var content = Content.none
    var usesShortTimeouts = false
    /// Whether the request ends its connection, so that another one resumes the TLS session.
    var endsConnection = false

    /// The maximum size of a response body, in bytes.
    var bodyLimit: Int { 8 << 20 }

    func request(
        parts: CountedParts.Count, production: Production, using random: inout some RandomNumberGenerator
    ) -> SessionRequest {
        var request = SessionRequest.get(url).header(Production.field, String(production.number))
        if endsConnection { request.headerFields[.connection] = "close" }
        let size = Int.random(in: 0..<200_000, using: &random)
        switch content {
        case .none: return request
        case .bytes: request.body = .bytes(Array(repeating: 1, count: size))
        case .stream: request.body = .stream { CountedParts(size: size, count: parts, production: production) }
        case .streamOnce:
            request.body = .oneShot(length: size, CountedParts(size: size, count: parts, production: production))
        }
        request.method = .post
        return request
    }
}

extension Scenario {
    /// The scenarios with the lab's servers.
    static func good(_ lab: Lab) -> [Scenario] {
        let answered: [LabServer.Kind] = [
            .plainHTTP, .goodHTTPS, .clientCertificateRequired, .clientCertificateWanted, .basic, .digestMD5,
            .digestSHA256,
            .digestSHA512Half, .digestAuthInt, .digestNextNonce, .scramSHA256, .bearer, .ntlm,
        ]
        let asked = answered.flatMap { kind in
            [
                Scenario(name: "get \(kind.rawValue)", url: lab[kind].url, outcome: .status(200)),
                Scenario(name: "post \(kind.rawValue)", url: lab[kind].url, outcome: .status(200), content: .bytes),
                // Digest with qop=auth-int needs the complete body before the request.
                Scenario(
                    name: "stream \(kind.rawValue)", url: lab[kind].url,
                    outcome: kind == .digestAuthInt ? .typed : .status(200), content: .stream),
            ]
        }
        let https = lab[.goodHTTPS].url
        return asked + [
            Scenario(name: "once", url: https, outcome: .status(200), content: .streamOnce),
            Scenario(name: "once over http", url: lab[.plainHTTP].url, outcome: .status(200), content: .streamOnce),
            Scenario(name: "large", url: https + "bytes/1000000", outcome: .status(200)),
            Scenario(name: "chunked", url: https + "chunked/1000000", outcome: .status(200)),
            Scenario(name: "redirect", url: https + "redirect-to?url=\(lab[.basic].url)", outcome: .status(200)),
            Scenario(name: "rejected", url: lab[.wrongPasswordForever].url, outcome: .status(401)),
            Scenario(name: "endless redirect", url: lab[.endlessRedirect].url, outcome: .typed),
            Scenario(name: "TLS 1.2", url: lab[.tls12].url, outcome: .status(200)),
            Scenario(name: "TLS 1.2 once more", url: lab[.tls12].url, outcome: .status(200), endsConnection: true),
            Scenario(name: "TLS 1.3 once more", url: lab[.tls13].url, outcome: .status(200), endsConnection: true),
            Scenario(name: "staple", url: lab[.stapled].url, outcome: .status(200), endsConnection: true),
            Scenario(name: "revoked", url: lab[.stapleRevoked].url, outcome: .typed),
            Scenario(name: "old TLS", url: lab[.tls11].url, outcome: .typed),
            Scenario(name: "not trusted", url: lab[.unknownRoot].url, outcome: .typed),
            Scenario(name: "truncated", url: lab[.truncatedBody].url, outcome: .typed),
        ]
    }

    /// The scenarios with two HTTP/2 servers, of which only one causes connection errors.
    ///
    /// An error on a connection affects all its streams, and requests that cannot be repeated then fail.
    static func of(_ good: HTTP2Origin, _ faulty: HTTP2Origin) -> [Scenario] {
        HTTP2Responder.Behavior.allCases.flatMap { behavior in
            let origin = behavior.affectsConnection ? faulty : good
            let (name, url) = ("h2 \(behavior)", origin.url + behavior.rawValue.dropFirst())
            guard behavior != .never else {
                return [Scenario(name: name, url: url, outcome: .typed, usesShortTimeouts: true)]
            }
            return [Content.none, .bytes, .stream].map {
                Scenario(
                    name: "\(name) \($0)", url: url, outcome: behavior.affectsConnection ? .typed : .status(200),
                    content: $0)
            }
        } + [Scenario(name: "h2 once", url: good.url, outcome: .status(200), content: .streamOnce)]
    }
}
