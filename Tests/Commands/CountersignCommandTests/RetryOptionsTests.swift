// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

@testable import CommandSupport
@testable import CountersignCommand

/// Tests of the retry options, and of the cookies that are sent in later requests of a run.
@Suite("Retries and cookies of one run") struct RetryOptionsTests {
    /// The expected attempts for a server that responds with 503 twice, and then with a page.
    struct Attempts: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        /// The Retry-After value of the server, in seconds.
        let retryAfter: Int
        let sent: Int
        let status: CommandStatus

        init(_ arguments: [String], after retryAfter: Int = 0, sent: Int, _ status: CommandStatus) {
            (self.arguments, self.retryAfter, self.sent, self.status) = (arguments, retryAfter, sent, status)
        }

        var testDescription: String { arguments.joined(separator: " ") }
    }

    @Test(
        "A request to a busy server is retried as often as --retry permits",
        arguments: [
            Attempts(["get"], sent: 1, .failed),
            Attempts(["get", "--retry", "0"], sent: 1, .failed),
            Attempts(["get", "--retry", "1"], sent: 2, .failed),
            Attempts(["get", "--retry", "2"], sent: 3, .done),
            Attempts(["put", "--data", "a", "--retry", "5"], sent: 3, .done),
            Attempts(["post", "--data", "a", "--retry", "5"], sent: 1, .failed),
            Attempts(["get", "--retry", "5", "--retry-max-time", "1"], after: 30, sent: 1, .failed),
        ])
    func retries(row: Attempts) async throws {
        let count = NIOLockedValueBox(0)
        let server = try await ScriptedServer.start { _ in
            let number = count.withLockedValue { count in
                count += 1
                return count
            }
            guard number < 3 else { return .init(.ok, body: "a page") }
            return .init(.serviceUnavailable, [.retryAfter: String(row.retryAfter)], body: "busy")
        }
        let run = try await CommandRun(
            row.arguments + ["http://localhost:\(server.port)/", "-v"], home: try Folder())
        await server.stop()
        #expect(run.status == row.status, "\(run.errors)")
        #expect(count.withLockedValue { $0 } == row.sent)
        let lines = run.errors.split(separator: "\n").filter {
            $0.contains("was answered with 503; sending it again in")
        }
        #expect(lines.count == row.sent - 1)
    }

    @Test("A refused connection is retried") func refusedConnection() async throws {
        let run = try await CommandRun(["get", "http://127.0.0.1:1/", "--retry", "1", "-v"], home: try Folder())
        #expect(run.status == .failed)
        let line = "http://127.0.0.1:1/ failed: 127.0.0.1:1 refused the connection; sending it again in "
        #expect(run.errors.contains(line), "\(run.errors)")
    }

    @Test("With --cookies a redirect after a login sends the cookie that was set", arguments: [[], ["--cookies"]])
    func cookies(arguments: [String]) async throws {
        let server = try await ScriptedServer.start { request in
            guard request.head.path == "/" else {
                return .init(.seeOther, [.location: "/", .setCookie: "id=4711; Path=/; HttpOnly"])
            }
            let isKnown = request.head.headerFields[.cookie] == "id=4711"
            return isKnown ? .init(.ok, body: "come in") : .init(.forbidden, body: "who are you?")
        }
        let run = try await CommandRun(
            ["post", "http://localhost:\(server.port)/login", "--data", "user=mary"] + arguments, home: try Folder())
        await server.stop()
        #expect(run.text == (arguments.isEmpty ? "who are you?" : "come in"))
        #expect(run.status == (arguments.isEmpty ? .failed : .done))
    }
}
