// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import EssentialFoundation
import HTTPTypes
import TestServer
import Testing

/// A server that asks for Basic, lets in those whom it knows, and keeps what was sent to it.
struct BasicServer {
    /// What one request brought.
    struct Visit: Hashable, Sendable {
        let path: String
        /// As `user:password`; `nil` where nothing was sent.
        let login: String?
    }

    let server: ScriptedServer
    private let log: RequestLog

    var visits: [Visit] { log.requests.map { Visit(path: $0.head.path ?? "", login: $0.login) } }
    /// What was sent with each request, in order.
    var logins: [String?] { visits.map(\.login) }

    func url(_ path: String = "/", login: String = "") -> String {
        "http://\(login)localhost:\(server.port)\(path)"
    }

    /// The credential of a user of such a server, whose password is the user's name twice.
    static func credential(_ user: String, _ persistence: Credential.Persistence = .session) -> Credential {
        .password(user: user, password: Secret(user + user), persistence: persistence)
    }

    /// Starts a server; `nil` lets in every client that sends a credential.
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
    /// The pair of Basic that it brings as `user:password`; any other credential as it was written, and `nil` for none.
    var login: String? {
        let field = head.headerFields[.authorization]
        let pair = field.flatMap { $0.split(separator: " ").last }.flatMap { Data(base64Encoded: String($0)) }
        return pair.flatMap { String(validating: $0, as: UTF8.self) } ?? field
    }
}

/// A few servers and a session, for the length of a closure.
func withServers(
    _ servers: [BasicServer], _ configuration: Session.Configuration, _ body: (Session) async throws -> Void
) async {
    do {
        try await withSession(configuration, stopping: servers.map(\.server), body)
    } catch {
        Issue.record(error)
    }
}
