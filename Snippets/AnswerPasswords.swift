// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "Answer passwords and tokens".

import CertificateTrust
import Challenges
import Countersign
import Foundation

func passwords() -> HTTPSession {
    let mary = PasswordHandler(user: "mary", password: Secret("secret"), host: "intranet.example")
    let session = HTTPSession(handlers: [.digest: mary, .basic: mary])
    return session
}

func domains() -> HTTPSession {
    let session = HTTPSession(
        handlers: [.ntlm: .password(user: #"CORP\mary"#, password: Secret("secret"), host: "intranet.example")])
    return session
}

func tokens(refresh: @escaping @Sendable (_ scopes: [String]) async throws -> Secret) -> HTTPSession {
    let session = HTTPSession(
        handlers: [
            .bearer: .bearer(host: "api.example") { demand in
                try await refresh(demand.scopes)
            }
        ])
    return session
}

func oneRequest(_ session: HTTPSession) async throws {
    _ = try await session.send(.get("https://intranet.example/").basic(user: "mary", password: Secret("secret")))
    _ = try await session.send(.get("https://api.example/").bearer(Secret("token")))
}

func firstRequest() -> HTTPSession {
    var configuration = HTTPSession.Configuration()
    configuration.credentials = [
        "https://api.example/v1/": .token(Secret("token")).sending(.immediately),
        "https://intranet.example": .password(user: "mary", password: Secret("secret")).sending(.immediately),
    ]
    return HTTPSession(configuration)
}

func netrc(bytes: [UInt8]) throws -> HTTPSession {
    let file = try NetrcFile(bytes)
    let session = HTTPSession(handlers: [.digest: .netrc(file), .basic: .netrc(file)])
    return session
}

func methods() throws -> HTTPSession {
    var policy = ServerPolicy()
    policy.methods = .only(.negotiate, .ntlm)
    let session = HTTPSession(HTTPSession.Configuration(policies: ["intranet.example": policy]))
    return session
}
