// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "From Alamofire".

import CertificateTrust
import Challenges
import Countersign
import Foundation
import X509

struct Bolt: Codable, Sendable {
    var name: String
}

func sending(_ session: HTTPSession, url: String, file: URL, bolt: Bolt) async throws {
    _ = try await session.get(url, as: Bolt.self)
    _ = try await session.get(url).text()
    _ = try await session.get(url).bytes()
    _ = try await session.get(url).expecting(.successful)
    _ = try await session.post(url, body: .json(bolt))
    _ = try await session.post(url, body: .form(["name": "M4"]))
    _ = try await session.send(.get(url).query(["q": "M4"]))
    _ = try await session.send(.get(url).basic(user: "mary", password: Secret("...")))
    _ = try await session.download(url, to: file)
    _ = try await session.put(url, body: .file(file))
    _ = try await session.post(url, body: .multipart([.field("name", "M4"), .file("drawing", contentsOf: file)]))
    let transfer = session.beginDownload(.get(url), to: file)
    for await progress in transfer.progress { print(progress.fraction ?? 0) }
    _ = try await transfer.value
    for try await part in try await session.get(url).body { print(part.readableBytes) }
    for try await line in try await session.get(url).body.lines { print(line) }
    for try await bolt in try await session.get(url).body.jsonLines(as: Bolt.self) { print(bolt.name) }
}

func configuring(
    root: Certificate, accepts: @escaping @Sendable (ServerTrust) async -> Bool,
    token: @escaping @Sendable () async throws -> Secret
) throws -> HTTPSession {
    var configuration = HTTPSession.Configuration()
    configuration.trust.pins = [Pin(.certificate, of: root)]
    configuration.trust.pins = [Pin(.publicKey, of: root)]
    configuration.trust.anchors = .only([root])
    configuration.trust.revocation = .hardFail
    configuration.trust.validation = .dangerouslyDisabled
    configuration.serverTrustDecision = { trust in await accepts(trust) ? .performDefault : .refuse }
    configuration.retries = .upTo(3)
    configuration.handlers[.bearer] = .bearer(host: "api.example") { _ in try await token() }
    configuration.redirectDecision = { _ in .deliver }
    configuration.observer = { event in print(event) }
    return HTTPSession(configuration)
}

func policies(root: Certificate) throws -> HTTPSession {
    let policies: DomainPolicies = [
        "api.example": .pinned([Pin(.publicKey, of: root)], anchors: .only([root]))
    ]
    let session = HTTPSession(HTTPSession.Configuration(policies: policies))
    return session
}
