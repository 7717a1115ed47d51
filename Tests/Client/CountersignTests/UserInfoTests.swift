// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import TestServer
import Testing

/// The user and password of a URL are used but never printed (CVE-2021-22876 and similar).
@Suite struct UserInfoTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The URL, with `{}` in place of the server's host and port.
        let url: String
        var proxy: String?
        var isDelivered = true
    }

    static let rows = [
        Row(testDescription: "accepted", url: "http://mary:s3cret@{}/"),
        Row(testDescription: "rejected", url: "http://mary:s3cretwrong@{}/"),
        Row(testDescription: "encoded", url: "http://m%61ry:s3cr%65t@{}/"),
        Row(testDescription: "redirected with a user", url: "http://mary:s3cret@{}/with-user"),
        Row(testDescription: "redirected in a loop", url: "http://mary:s3cret@{}/loop", isDelivered: false),
        Row(testDescription: "redirected to another scheme", url: "http://mary:s3cret@{}/nowhere", isDelivered: false),
        Row(testDescription: "refused", url: "http://mary:s3cret@127.0.0.1:1/", isDelivered: false),
        Row(testDescription: "not resolved", url: "http://mary:s3cret@nowhere.invalid/", isDelivered: false),
        Row(testDescription: "no port", url: "http://mary:s3cret@{}0000/", isDelivered: false),
        Row(testDescription: "a malformed port", url: "http://mary:s3cret@{}:x/", isDelivered: false),
        Row(testDescription: "another scheme", url: "ftp://mary:s3cret@{}/", isDelivered: false),
        Row(testDescription: "CR and LF in the password", url: "http://mary:s3cret%0D%0A@{}/", isDelivered: false),
        Row(testDescription: "by a proxy", url: "http://mary:s3cret@a.test/", proxy: "http://mary:s3cret@{}"),
        Row(
            testDescription: "by a proxy that refuses the tunnel", url: "https://mary:s3cret@a.test/",
            proxy: "http://mary:s3cret@{}",
            isDelivered: false),
    ]

    @Test("User and password of a URL do not appear in responses, errors, logs or reports", arguments: rows)
    func notPrinted(row: Row) async throws {
        let server = try await ScriptedServer.start { request in
            switch request.head.path {
            case "/with-user": .init(.found, [.location: "//eve:s3cret2@\(request.head.authority ?? "")/"])
            case "/loop": .init(.found, [.location: "/loop"])
            case "/nowhere": .init(.found, [.location: "ftp://eve:s3cret2@a.test/"])
            default:
                request.head.headerFields[.authorization] == "Basic bWFyeTpzM2NyZXQ="
                    ? .init(.ok) : .init(.unauthorized, [.wwwAuthenticate: "Basic realm=r"])
            }
        }
        let place = "localhost:\(server.port)"
        let (lines, recorder) = (LogLines(), Recorder())
        var configuration = HTTPSession.Configuration()
        configuration.proxy = try row.proxy.map { try Proxy($0.replacing("{}", with: place)) }
        configuration.logger = lines.logger
        configuration.observer = recorder.note
        let session = HTTPSession(configuration)
        var outputs: [String] = []
        do {
            let response = try await session.get(row.url.replacing("{}", with: place))
            #expect(row.isDelivered)
            #expect(response.status == (row.testDescription == "rejected" ? .unauthorized : .ok))
            outputs += [response.url, "\(response)"]
        } catch {
            #expect(!row.isDelivered)
            outputs += ["\(error)", String(reflecting: error)]
        }
        await session.close()
        await server.stop()
        for text in outputs + lines.all + [recorder.printed] {
            #expect(!text.contains("s3cr") && !text.contains("mary:") && !text.contains("mary@"))
        }
    }

    @Test("The credential of a URL answers challenges to its own request only") func scope() async throws {
        let (server, other) = (try await BasicServer.start(), try await BasicServer.start())
        await withServers([server, other], HTTPSession.Configuration()) { session async throws in
            #expect(try await session.text(server.url("/", login: "m%40ry:p@")).status == 200)
            #expect(server.logins == [nil, "m@ry:p"])
            #expect(try await session.text(server.url("/")).status == 401)  // not for another request
            #expect(try await session.text(server.url("/", login: "mary:@")).status == 200)
            #expect(server.logins.suffix(2) == [nil, "mary:"])
            #expect(try await session.text(server.url("/", login: "mary@")).status == 401)  // no password
            #expect(try await session.text(server.url("/", login: "@")).status == 401)  // no user
            var named = SessionRequest(url: server.url("/", login: "mary:p@"))
            named.credential = BasicServer.credential("named")
            named.preemptiveMethod = .basic
            #expect(try await session.send(named).status == .ok)
            #expect(server.logins.last == "named:namednamed")
            #expect(other.visits.isEmpty)
        }
    }
}
