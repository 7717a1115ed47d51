// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the module's first article, and of docs/guide/library.md.

import Countersign
import ErrorExplanations
import NIOCore
import X509

/// A user who is asked about servers that the policy does not trust.
protocol Person: Sendable {
    func accepts(_ verdict: Verdict) async -> Bool
}

struct Bolt: Codable, Sendable {
    var name: String
    var size: Int
}

func firstSession(root: Certificate, identity: Identity) async throws {
    let session = HTTPSession(
        trust: TrustPolicy(anchors: .only([root])),
        handlers: [
            .digest: .password(user: "mary", password: Secret("..."), host: "intranet.example"),
            .clientCertificate: .identity(identity, host: "intranet.example"),
        ]
    )
    let response = try await session.get("https://intranet.example/report.pdf")
    for try await part in response.body {
        print(part.readableBytes)
    }
}

func handlers(root: Certificate, identity: Identity, person: some Person) {
    let session = HTTPSession(
        trust: TrustPolicy(anchors: .systemAnd([root])),
        handlers: [
            .digest: .password(user: "mary", password: Secret("secret"), host: "intranet.example"),
            .clientCertificate: .identity(identity, host: "intranet.example"),
            .serverTrust: .closure { challenge in
                guard case .serverTrust(let chain, let verdict) = challenge.statement, await person.accepts(verdict)
                else { return .performDefault }
                return .use(.serverTrust(chain))
            },
        ]
    )
    _ = session
}

func requests(_ session: HTTPSession) async throws {
    let bolt = try await session.get("https://shop.example/bolts/4", as: Bolt.self)
    try await session.post("https://shop.example/bolts", body: .json(bolt)).expecting(.created)
    let found = try await session.send(
        .get("https://shop.example/bolts").query(["name": "M4", "tag": "new", "tag": "steel"]).bearer(Secret("...")),
        as: [Bolt].self)
    _ = found
}

func failures(_ session: HTTPSession) async throws {
    do {
        _ = try await session.get("https://shop.example/bolts/4", as: Bolt.self)
    } catch SessionError.response(.unexpectedStatus(let response)) where response.status == .notFound {
        // ...
    } catch SessionError.trust(.notTrusted(_, _, let verdict)) {
        print(verdict.explanation)
    } catch let error as SessionError {
        // "shop.example:443 refused the connection. No program listens on that port, ..."
        print(error.code, error)
    }
}

struct Shop: RequestSender {
    func send(_ request: SessionRequest) async throws -> SessionResponse {
        try SessionResponse(to: request, body: .text(#"{"name": "M4", "size": 4}"#))
    }
}

func size(of name: String, from client: some RequestSender) async throws -> Int {
    try await client.get("https://shop.example/bolts/\(name)", as: Bolt.self).size
}

print(try await size(of: "M4", from: Shop()))
