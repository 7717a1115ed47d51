// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import NIOConcurrencyHelpers

/// A `ScriptedServer` whose received bytes the scene records, with its URLs.
struct LeakServer: Sendable {
    typealias Reply = @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply

    let server: ScriptedServer
    let isSecure: Bool

    var port: Int { server.port }

    func url(_ path: String = "/", login: String = "", host: String = "localhost") -> String {
        "\(isSecure ? "https" : "http")://\(login)\(host):\(port)\(path)"
    }

    var proxy: Proxy { get throws { try Proxy(url("")) } }

    /// Challenges requests without credentials and gives the reply to all others.
    static func asking(
        _ challenge: String = "Basic realm=r", then reply: ScriptedServer.Reply = .init(.ok)
    ) -> Reply {
        { request in
            request.head.headerFields[.authorization] == nil
                ? .init(.unauthorized, [.wwwAuthenticate: challenge]) : reply
        }
    }

    /// Challenges requests without credentials and records the login of each request.
    static func noting(_ logins: NIOLockedValueBox<[String?]>) -> Reply {
        { request in
            logins.withLockedValue { $0.append(request.login) }
            return asking()(request)
        }
    }

    static func redirecting(to url: String) -> Reply {
        { _ in .init(.found, [.location: url]) }
    }
}

extension Credential {
    /// Returns the credential of the user mary with the given password.
    static func mary(_ password: String, _ persistence: Credential.Persistence = .session) -> Self {
        .password(user: "mary", password: Secret(password), persistence: persistence)
    }
}
