// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "Present a client certificate".

import Countersign
import Foundation

func fromPKCS12() throws -> HTTPSession {
    let identity = try Identity(contentsOf: URL(filePath: "mary.p12"), passphrase: Secret("correct horse"))
    let session = HTTPSession(handlers: [.clientCertificate: .identity(identity, host: "intranet.example")])
    return session
}

func fromPEM() throws -> [Identity] {
    let one = try Identity(contentsOf: URL(filePath: "mary.pem"))
    let two = try Identity(
        contentsOf: URL(filePath: "mary-chain.pem"), privateKey: URL(filePath: "mary-key.pem"),
        passphrase: Secret("correct horse"))
    return [one, two]
}

func several(_ work: Identity, _ home: Identity) -> HTTPSession {
    let session = HTTPSession(
        handlers: [
            .clientCertificate: .identities([
                IdentityChoice.Candidate(work, host: "intranet.example"),
                IdentityChoice.Candidate(home),
            ])
        ])
    return session
}

func asked(choose: @escaping @Sendable (ClientCertificateRequest) async -> Identity?) -> HTTPSession {
    let session = HTTPSession(
        handlers: [
            .clientCertificate: .closure { challenge in
                guard case .clientCertificateRequest(let request) = challenge.statement,
                    challenge.space.host.description == "intranet.example", let identity = await choose(request)
                else { return .performDefault }
                return .use(.identity(identity))
            }
        ])
    return session
}

func presented(by session: HTTPSession) async throws {
    let response = try await session.get("https://intranet.example/")
    print(response.connection.tls?.clientCertificate?.subject as Any)
}
