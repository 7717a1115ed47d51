// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "From URLSession".

import Countersign
import Foundation
import NIOCore
import X509

struct Bolt: Codable, Sendable {
    var name: String
}

func sending(_ session: HTTPSession, url: String, file: URL, bolt: Bolt, bytes: [UInt8]) async throws {
    _ = try await session.get(url).bytes()
    _ = try await session.get(url, as: Bolt.self)
    _ = try await session.send(.post(url).json(bolt))
    _ = try await session.post(url, json: bolt, as: Bolt.self)
    _ = try await session.put(url, body: .file(file))
    _ = try await session.put(url, body: .bytes(bytes).type("image/png"))
    _ = try await session.download(url, to: file)
    let request = SessionRequest.get(url).header(.accept, "text/csv").query(["q": "M4"])
    let response = try await session.send(request)
    if response.status == .ok {}
    _ = request.idleTimeout(.seconds(20))
    try await response.expecting(.successful)
    for try await part in response.body { _ = part }
    for try await line in response.body.lines { print(line) }
    let transfer = session.beginDownload(request, to: file)
    for await progress in transfer.progress { print(progress.completed) }
    _ = try await transfer.value
    await session.close()
}

func configuring(roots: [Certificate], identity: Identity) throws -> HTTPSession {
    var configuration = HTTPSession.Configuration()
    configuration.trust = TrustPolicy(anchors: .systemAnd(roots))
    configuration.trust.pins = [try Pin("sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")]
    configuration.tlsVersions = .onlyTLS13
    configuration.idleTimeout = .seconds(20)
    configuration.connectTimeout = .seconds(5)
    configuration.redirectLimit = 0
    configuration.allowsRedirectsToPlainHTTP = true
    configuration.proxy = try Proxy("http://proxy.example:3128")
    configuration.handlers = [
        .digest: .password(user: "mary", password: Secret("..."), host: "intranet.example"),
        .clientCertificate: .identity(identity, host: "intranet.example"),
    ]
    return HTTPSession(configuration)
}

func deciding(host: HostName, accepts: @escaping @Sendable (Verdict) async -> Bool) -> HTTPSession {
    let session = HTTPSession(
        handlers: [
            .serverTrust: .closure { challenge in
                guard case .serverTrust(let chain, let verdict) = challenge.statement, challenge.space.host == host
                else { return .performDefault }
                return await accepts(verdict) ? .use(.serverTrust(chain)) : .cancel
            }
        ])
    return session
}

func refusing(host: HostName, pin: Pin) -> HTTPSession {
    var configuration = HTTPSession.Configuration()
    configuration.serverTrustDecision = { trust in
        guard trust.endpoint.host == host else { return .performDefault }
        return trust.chain.leaf.publicKeyPin == pin ? .performDefault : .refuse
    }
    return HTTPSession(configuration)
}

func severalHandlers() throws -> HTTPSession {
    let session = HTTPSession(
        handlers: [
            .basic: .password(user: "mary", password: Secret("..."), host: "intranet.example"),
            .basic: .password(user: "mary", password: Secret("..."), host: "proxy.example", role: .proxy),
        ],
        proxy: try Proxy("http://proxy.example:3128"))
    return session
}

func cancelling(_ session: HTTPSession) async {
    let task = Task { try await session.get("https://intranet.example/") }
    task.cancel()
}
