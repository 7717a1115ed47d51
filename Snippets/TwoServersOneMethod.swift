// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "Two servers with one method".

import Challenges
import Countersign

func twoServers() -> HTTPSession {
    let session = HTTPSession(
        handlers: [
            .basic: .password(user: "mary", password: Secret("secret"), host: "intranet.example"),
            .basic: .password(user: "shop", password: Secret("other"), host: "shop.example"),
            .basic: .password(user: "test", password: Secret("third"), host: "intranet.example", port: 8443),
        ])
    return session
}

func proxyAndOrigin() throws -> HTTPSession {
    let session = HTTPSession(
        handlers: [
            .basic: .password(user: "mary", password: Secret("secret"), host: "intranet.example"),
            .basic: .password(user: "mary", password: Secret("other"), host: "proxy.example", role: .proxy),
        ],
        proxy: try Proxy("http://proxy.example:3128"))
    return session
}

struct Account {
    let user: String
    let password: Secret
    let host: String
}

func accounts(_ accounts: [Account], ask: @escaping @Sendable (String) async -> (String, Secret)?) -> HTTPSession {
    var handlers: ChallengeHandlers = [:]
    for method in [AuthenticationMethod.digest, .basic] {
        for account in accounts {
            let handler = PasswordHandler(user: account.user, password: account.password, host: account.host)
            handlers.append(handler, for: method)
        }
    }

    let asking = ClosureHandler { challenge in
        guard challenge.space.isEncrypted, let (user, password) = await ask("\(challenge.space.host)") else {
            return .performDefault
        }
        return .use(.password(user: user, password: password))
    }
    handlers.append(asking, for: .basic)
    return HTTPSession(handlers: handlers)
}

func certificates(_ work: Identity, _ home: Identity) -> HTTPSession {
    let session = HTTPSession(
        handlers: [
            .clientCertificate: .identity(work, host: "intranet.example"),
            .clientCertificate: .identity(home, host: "home.example"),
        ])
    return session
}
