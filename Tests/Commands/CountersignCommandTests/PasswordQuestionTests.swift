// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import ChallengeLab
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

@testable import CountersignCommand

@Suite("The user is asked only for unknown passwords") struct PasswordQuestionTests {
    /// The given parts of the first server's login, and the answers that the user types for the rest.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var login = ""
        var arguments: [String] = []
        let answers: [String]
    }

    static let rows = [
        Row(testDescription: "the URL has the password", login: "mary:secret@", answers: ["eve", "secret"]),
        Row(
            testDescription: "a file has the password", arguments: ["--user", "mary", "--password-file", "<password>"],
            answers: ["eve", "secret"]),
        Row(testDescription: "--user has the password", arguments: ["-u", "mary:secret"], answers: ["eve", "secret"]),
        Row(
            testDescription: "--user names the user alone", arguments: ["--user", "mary"],
            answers: ["secret", "eve", "secret"]),
        Row(testDescription: "the URL names the user alone", login: "mary@", answers: ["secret", "eve", "secret"]),
        Row(testDescription: "nothing is known", answers: ["mary", "secret", "eve", "secret"]),
    ]

    @Test("Redirects lead from one server to another and back", arguments: rows)
    func redirects(row: Row) async throws {
        let home = try Folder()
        _ = try home.write("secret\n", to: "password")
        let ports = Ports()
        let servers = [
            try await Self.server(0, ports, ["/": "/away", "/back": "/again"]),
            try await Self.server(1, ports, ["/away": "/back", "/again": nil]),
        ]
        ports.set(servers.map(\.port))
        let arguments = row.arguments.map { $0.replacing("<", with: home.path + "/").replacing(">", with: "") }
        let run = try await CommandRun(
            ["get", "http://\(row.login)localhost:\(servers[0].port)/"] + arguments, home: home, answers: row.answers)
        #expect(run.status == .done, "\(run.errors)")
        #expect(run.questions.count == row.answers.count, "\(run.questions)")
        for server in servers { await server.stop() }
    }

    @Test("After a rejection the user is asked for a password, and an option's password is not sent again")
    func rejections() async throws {
        let home = try Folder()
        let server = try await ScriptedServer.start { request in
            request.head.headerFields[.authorization] == "Basic bWFyeTpyaWdodA=="
                ? .init(.ok) : .init(.unauthorized, [.wwwAuthenticate: "Basic realm=r"])
        }
        let run = try await CommandRun(
            ["get", "http://localhost:\(server.port)/", "-u", "mary:wrong"], home: home, answers: ["false", "right"])
        #expect(run.status == .done, "\(run.errors)")
        #expect(run.questions.count == 2)
        #expect(server.requestCount == 4)
        await server.stop()
    }

    /// Starts a server that requires a password for every path, and redirects each path to the other server.
    private static func server(_ index: Int, _ ports: Ports, _ paths: [String: String?]) async throws -> ScriptedServer
    {
        try await ScriptedServer.start { request in
            let path = request.head.path ?? "/"
            guard request.head.headerFields[.authorization] != nil else {
                let realm = path == "/back" ? "s" : "r"
                return .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\(realm)"])
            }
            guard let next = paths[path] ?? nil else { return .init(.ok) }
            return .init(.found, [.location: "http://localhost:\(ports[1 - index])\(next)"])
        }
    }
}

/// The ports of servers that redirect to each other.
private final class Ports: Sendable {
    private let ports = NIOLockedValueBox<[Int]>([])

    func set(_ ports: [Int]) { self.ports.withLockedValue { $0 = ports } }

    subscript(index: Int) -> Int { ports.withLockedValue { $0[index] } }
}
