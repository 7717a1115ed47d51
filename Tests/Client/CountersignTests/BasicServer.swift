// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import EssentialFoundation
import HTTPTypes
import TestServer
import Testing

/// A server that requires Basic, accepts its known users, and records the requests.
struct BasicServer {
    /// The path and login of one request.
    struct Visit: Hashable, Sendable {
        let path: String
        /// The login as `user:password`, or `nil` if the request had no credential.
        let login: String?
    }

    let server: ScriptedServer
    private let log: RequestLog

    var visits: [Visit] { log.requests.map { Visit(path: $0.head.path ?? "", login: $0.login) } }
    /// The login of each request, in order.
    var logins: [String?] { visits.map(\.login) }

    func url(_ path: String = "/", login: String = "") -> String {
        "http://\(login)localhost:\(server.port)\(path)"
    }

    /// Returns the credential of a user, whose password on such a server is the user name twice.
    static func credential(_ user: String, _ persistence: Credential.Persistence = .session) -> Credential {
        .password(user: user, password: Secret(user + user), persistence: persistence)
    }

    /// Starts a server that knows the given users; `nil` accepts every client that sends a credential.
    static func start(knowing users: [String]? = nil, realm: @escaping @Sendable (Int) -> String = { _ in "r" })
        async throws -> BasicServer
    {
        let log = RequestLog()
        let known = users.map { Set($0.map { "\($0):\($0)\($0)" }) }
        let server = try await ScriptedServer.start(recordingIn: log) { request in
            guard let login = request.login, known?.contains(login) != false else {
                let realm = realm(log.requests.count)
                return .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"\(realm)\""])
            }
            return .init(.ok, body: login)
        }
        return BasicServer(server: server, log: log)
    }
}

extension ScriptedServer.Request {
    /// The Basic credential as `user:password`, the unchanged field for any other credential, or `nil` without one.
    var login: String? {
        let field = head.headerFields[.authorization]
        let pair = field.flatMap { $0.split(separator: " ").last }.flatMap { Data(base64Encoded: String($0)) }
        return pair.flatMap { String(validating: $0, as: UTF8.self) } ?? field
    }
}

/// Calls a closure with a session for the given servers, and stops the session and the servers afterwards.
func withServers(
    _ servers: [BasicServer], _ configuration: HTTPSession.Configuration, _ body: (HTTPSession) async throws -> Void
) async {
    do {
        try await withSession(configuration, stopping: servers.map(\.server), body)
    } catch {
        Issue.record(error)
    }
}
