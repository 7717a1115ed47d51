// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Foundation

/// A server in the settings, with its authority and the credentials for it.
struct Server: Decodable {
    let url: URL
    let root: String
    let user: String?
    let password: String?
    let identity: String?
}

/// Gets a page from each server with one session.
///
/// Usage: SeveralServers SETTINGS.json
///
/// The settings are an array of objects with a `url`, a `root` (a file), and `user` with `password`, or `identity` (a file).
@main struct SeveralServers {
    static func main() async {
        guard CommandLine.arguments.count == 2 else {
            print("Usage: SeveralServers SETTINGS.json")
            exit(2)
        }
        do {
            let settings = try Data(contentsOf: URL(filePath: CommandLine.arguments[1]))
            let servers = try JSONDecoder().decode([Server].self, from: settings)
            var policies = DomainPolicies()
            var handlers: ChallengeHandlers = [:]
            for server in servers {
                let (host, port) = (server.url.host() ?? "", server.url.port ?? 443)
                try policies.set(.only(contentsOf: URL(filePath: server.root)), for: host)
                if let user = server.user, let password = server.password {
                    let handler = PasswordHandler(user: user, password: Secret(password), host: host, port: port)
                    handlers.append(handler, for: .digest)
                    handlers.append(handler, for: .basic)
                }
                if let identity = server.identity {
                    let identity = try Identity(contentsOf: URL(filePath: identity))
                    handlers.append(.identity(identity, host: host), for: .clientCertificate)
                }
            }
            let session = HTTPSession(HTTPSession.Configuration(policies: policies, handlers: handlers))
            for server in servers {
                print("\(server.url): \(try await session.get(server.url).expecting(.successful).text())")
            }
            await session.close()
        } catch {
            print(error)
            exit(1)
        }
    }
}
