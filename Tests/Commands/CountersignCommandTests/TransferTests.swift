// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSession
import ArgumentParser
import ChallengeLab
import Countersign
import HTTPTypes
import TestServer
import Testing

@testable import CommandSupport
@testable import CountersignCommand

@Suite struct TransferTests {
    struct Sent: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let body: String
        let type: String?

        init(_ arguments: [String], _ body: String, _ type: String?) {
            (self.arguments, self.body, self.type) = (arguments, body, type)
        }

        var testDescription: String { arguments.joined(separator: " ") }
    }

    @Test(
        "A body is sent unchanged with its content type",
        arguments: [
            Sent(["post", "--data", "q=a&b"], "q=a&b", "application/x-www-form-urlencoded"),
            Sent(["post", "--data-raw", "@text"], "@text", "application/x-www-form-urlencoded"),
            Sent(["post", "--data", "a,b", "-H", "Content-Type: text/csv"], "a,b", "text/csv"),
            Sent(["put", "--data-file", "<file>"], "in a file", "application/octet-stream"),
            Sent(["patch", "--json-body", #"{"a": [1, null]}"#], #"{"a": [1, null]}"#, "application/json"),
            Sent(["post", "--json-body", "@<json>"], "[1, 2]", "application/json"),
            Sent(["post"], "", nil),
            Sent(["delete"], "", nil),
            Sent(["get"], "", nil),
        ])
    func bodies(row: Sent) async throws {
        try await withPageServer { server, home in
            _ = try home.write("in a file", to: "file")
            _ = try home.write("[1, 2]", to: "json")
            let arguments = row.arguments.map { argument in
                argument.replacing("<", with: home.path + "/").replacing(">", with: "")
            }
            let run = try await CommandRun(arguments + [server.url], home: home)
            #expect(run.status == .done, "\(run.errors)")
            let request = try #require(server.requests.first)
            #expect(request.head.method.rawValue == row.arguments.first?.uppercased())
            #expect(String(decoding: request.body, as: UTF8.self) == row.body)
            #expect(request.head.headerFields[.contentType] == row.type)
        }
    }

    @Test("A form has a part for each option") func form() async throws {
        try await withPageServer { server, home in
            let file = try home.write("a,b", to: "table.csv")
            let run = try await CommandRun(
                ["post", server.url, "--form", "name=Mary", "--form", "table=@\(file);type=text/csv"], home: home)
            #expect(run.status == .done, "\(run.errors)")
            let request = try #require(server.requests.first)
            let body = String(decoding: request.body, as: UTF8.self)
            #expect(request.head.headerFields[.contentType]?.hasPrefix("multipart/form-data; boundary=") == true)
            for words in [
                "name=\"name\"\r\n\r\nMary\r\n",
                "name=\"table\"; filename=\"table.csv\"\r\nContent-Type: text/csv\r\n\r\na,b\r\n",
            ] {
                #expect(body.contains(words), "\(body)")
            }
        }
    }

    @Test("Header fields come from the command line and from files") func fields() async throws {
        try await withPageServer { server, home in
            let file = try home.write("X-Key: hunter2\nAccept: text/csv\n", to: "fields")
            let run = try await CommandRun(
                ["get", server.url, "-H", "X-One: 1", "--header", "X-One: 2", "-H", "@\(file)"], home: home)
            #expect(run.status == .done)
            let fields = try #require(server.requests.first).head.headerFields
            #expect(fields[.init("X-One") ?? .accept] == "1, 2")
            #expect(fields[.init("X-Key") ?? .accept] == "hunter2")
            #expect(fields[.accept] == "text/csv")
            #expect(run.errors.isEmpty)
            for field in ["Authorization: Bearer x", "X-Api-Key: x"] {
                let bare = try await CommandRun(["get", server.url, "-H", field], home: home)
                #expect(bare.errors.contains("use -H @FILE"))
            }
        }
    }

    @Test(
        "-H Host replaces the host that the server reads",
        arguments: [("Host: b.test", "b.test"), ("host: B.test:8080", "b.test:8080"), ("Host: [::1]:80", "[::1]:80")])
    func hostField(field: String, authority: String) async throws {
        try await withPageServer { server, home in
            let file = try home.write("\(field)\n", to: "fields")
            for option in [field, "@\(file)"] {
                let run = try await CommandRun(["get", server.url, "-H", option], home: home)
                #expect(run.status == .done, "\(run.errors)")
                let head = try #require(server.requests.last).head
                #expect(head.authority == authority)
                #expect(!head.headerFields.contains { $0.name.canonicalName == "host" })
            }
            let twice = try await CommandRun(["get", server.url, "-H", field, "-H", "Host: c.test"], home: home)
            #expect(twice.status == .usage)
            #expect(server.requests.count == 2)
        }
    }

    @Test(
        "A host can be reached at another address",
        arguments: [
            ["--resolve", "intranet.example:%:127.0.0.1"], ["--connect-to", "::localhost:%"],
            ["--connect-to", "intranet.example:%:localhost:%"],
            ["--resolve", "intranet.example:%:::1", "--connect-to", "::127.0.0.1:%"],
            ["--resolve", "a.test:%:127.0.0.1", "--connect-to", "::a.test:%"],
        ])
    func connectTargets(arguments: [String]) async throws {
        try await withPageServer { server, home in
            let filled = arguments.map { $0.replacing("%", with: String(server.port)) }
            let run = try await CommandRun(["get", "http://intranet.example:\(server.port)/"] + filled, home: home)
            #expect(run.status == .done, "\(run.errors)")
            #expect(server.requests.first?.head.authority == "intranet.example:\(server.port)")
        }
    }

    @Test(
        "The error for an invalid value says which values are valid",
        arguments: [
            (["--resolve", "a.test:443"], "HOST:PORT:ADDRESS"),
            (["--resolve", "a.test:0:127.0.0.1"], "1 to 65535"),
            (["--resolve", "*:443:127.0.0.1"], "name the host"),
            (["--resolve", "a.test:443:b.test"], "HOST:PORT:ADDRESS"),
            (["--connect-to", "a.test"], "HOST:PORT:HOST:PORT"),
            (["--connect-timeout", "soon"], "write seconds, such as 5 or 0.5"),
            (["--connect-timeout", "nan"], "write seconds"),
            (["--max-time", "0"], "write seconds"),
            (["--retry", "-1"], "--retry"),
            (["--retry", "often"], "a number from 0 to 1000"),
            (["--retry-max-time", "long"], "write seconds"),
            (["--unix-socket", ""], "the path of a socket"),
            (["-H", "no field"], "Name: value"),
            (["-H", "Content-Length: 5"], "it is computed from the body"),
            (["-H", "Host: b.test/"], "Host: HOST:PORT"),
            (["-H", "Host:"], "Host: HOST:PORT"),
            (["--tls-max", "1.1"], "'1.2' and '1.3'"),
            (["--max-expansion-ratio", "0"], "write a number from 1"),
            (["--form", "nothing"], "name=value or name=@file"),
        ] as [([String], String)])
    func invalidValues(arguments: [String], words: String) throws {
        let error = try #require(throws: (any Error).self) {
            try CountersignCommand.parseAsRoot(["post", "http://a.test/"] + arguments)
        }
        #expect(CountersignCommand.fullMessage(for: error).contains(words))
        #expect(CountersignCommand.exitCode(for: error) != .success)
    }

    @Test(
        "Contradictory options are refused",
        arguments: [
            (["post", "--data", "a", "--json-body", "1"], "--data and --json-body contradict each other"),
            (["post", "--json-body", "{a: 1}"], "--json-body is not JSON"),
            (["post", "--json-body", "[01]"], "--json-body is not JSON"),
            (["post", "--json-body", "{} {}"], "--json-body is not JSON"),
            (["post", "--json-body", "{\n\"a\": [1,]}"], "--json-body is not JSON: line 2, column 9"),
            (["get", "--http1.1", "--http2"], "--http1.1 and --http2 contradict each other"),
            (["get", "--tls-min", "1.3", "--tls-max", "1.2"], "contradict each other"),
            (["get", "-4", "-6"], "-4 and -6 contradict each other"),
            (["get", "-6", "--unix-socket", "/a"], "--unix-socket and -6 contradict each other"),
            (["trust", "inspect", "-4", "-6"], "-4 and -6 contradict each other"),
            (
                ["get", "--tls-library", "boringssl", "--allow-legacy-tls"],
                "--tls-library boringssl and --allow-legacy-tls contradict each other"
            ),
            (["get", "--continue"], "--continue has no effect without -o FILE or -O"),
            (["get", "--trace", "-"], "--trace - has no effect without -o FILE"),
            (["get", "--retry-max-time", "5"], "--retry-max-time has no effect without --retry"),
            (["get", "--unix-socket", "/a", "--proxy", "http://a.test:1"], "--unix-socket and --proxy contradict"),
            (["get", "--no-proxy", "*", "--proxy", "http://a.test:1"], "contradict each other"),
            (["get", "--no-proxy", "*", "--proxy-user", "mary"], "--proxy-user has no effect without --proxy"),
            (["get", "--no-proxy", "10.0.0.0/99"], "\"10.0.0.0/99\" is not a host name"),
            (["get", "--proxy", "ftp://a.test:1"], "--proxy cannot be used: ftp is not a supported kind of proxy"),
            (["get", "--proxy", "socks5://"], "--proxy cannot be used: it has no host"),
            (["get", "--proxy", ""], "give --no-proxy '*' instead"),
            (["get", "--proxy", "127.0.0.1:1/path"], "--proxy cannot be used: it is not a host and a port without"),
        ] as [([String], String)])
    func contradictions(arguments: [String], words: String) async throws {
        let run = try await CommandRun(arguments + ["http://127.0.0.1:1/"], home: try Folder())
        #expect(run.status == .usage)
        #expect(run.errors.contains(words), "\(run.errors)")
    }

    @Test("IPv6 addresses are parsed with and without brackets") func ipv6Addresses() throws {
        for address in ["[::1]", "::1"] {
            let option = try ConnectToOption.resolving("a.test:443:\(address)")
            #expect(option.destination.description == "[::1]:443")
        }
        #expect(try ConnectToOption.connecting("[::1]:80:[::2]:81").destination.description == "[::2]:81")
    }

    // MARK: Responses

    @Test("An unsuccessful status leaves the file unchanged", arguments: [404, 500, 304])
    func unsuccessfulStatus(status: Int) async throws {
        try await withPageServer(status: .init(code: status)) { server, home in
            let file = try home.write("the old one", to: "file")
            let run = try await CommandRun(["get", server.url, "-o", file], home: home)
            #expect(run.status == (status < 400 ? .done : .failed))
            #expect(home.contents(of: "file") == Array("the old one".utf8))
            let other = try await CommandRun(["get", server.url, "-o", home.file("other")], home: home)
            #expect(other.errors.contains("was not changed") == (status >= 400))
            #expect(home.names == ["file"])
        }
    }

    @Test("The body of an error is printed unless --fail is given") func errorPage() async throws {
        try await withPageServer(status: .notFound) { server, home in
            #expect(try await CommandRun(["get", server.url], home: home).text == "a page")
            let run = try await CommandRun(["get", server.url, "--fail"], home: home)
            #expect(run.status == .failed)
            #expect(run.output.isEmpty)
        }
    }

    @Test("The command head prints the status and the fields") func head() async throws {
        try await withPageServer { server, home in
            let run = try await CommandRun(["head", server.url], home: home)
            #expect(run.text.hasPrefix("HTTP/1.1 200 OK\n"), "\(run.text)")
            #expect(run.text.lowercased().contains("content-length: 6\n"))
            #expect(server.requests.first?.head.method == .head)
        }
    }

    @Test("The option --max-time limits the total time") func maxTime() async throws {
        try await withLab { lab, folder async throws in
            let run = try await CommandRun(["get", lab[.slowBody].url, "--max-time", "0.3"], home: folder)
            #expect(run.status == .failed)
            #expect(run.errors.contains("--max-time"), "\(run.errors)")
        }
    }

    @Test("A download continues or restarts") func continued() async throws {
        try await withLab { lab, folder async throws in
            let file = folder.file("file")
            let run = try await CommandRun(
                ["get", lab.url(.plainHTTP, "/bytes/100000"), "-C", "-o", file, "--json"], home: folder)
            #expect(run.status == .done, "\(run.errors)")
            #expect(run.text.contains("\"bytes\" : 100000"))
            #expect(folder.contents(of: "file")?.count == 100_000)
            let missing = try await CommandRun(
                ["get", lab.url(.plainHTTP, "/status/404"), "-C", "-o", file], home: folder)
            #expect(missing.status == .failed)
            #expect(folder.contents(of: "file")?.count == 100_000)
        }
    }

    @Test("An error in JSON contains the URL, TLS and the challenges") func json() async throws {
        try await withLab { lab, folder async throws in
            let run = try await CommandRun(
                [
                    "get", lab.url(.goodHTTPS, "/redirect-to?url=ftp://a.test/"), "--anchor", folder.file("ca.pem"),
                    "--json",
                ],
                home: folder)
            #expect(run.status != .done)
            for words in ["\"url\" : \"https://localhost:", "\"version\" : \"TLSv1.3\"", "\"challenges\"", "\"code\""] {
                #expect(run.text.contains(words), "\(run.text)")
            }
        }
    }
}

/// A server that sends the same page to each request.
struct PageServer: Sendable {
    private let server: ScriptedServer
    private let log = RequestLog()

    init(status: HTTPResponse.Status) async throws {
        server = try await ScriptedServer.start(recordingIn: log) { _ in
            .init(status, [.contentType: "text/plain"], body: status.code == 304 ? "" : "a page")
        }
    }

    var port: Int { server.port }
    var url: String { "http://localhost:\(server.port)/" }
    var requests: [ScriptedServer.Request] { log.requests }

    func stop() async { await server.stop() }
}

/// Runs a closure with a server and a folder.
func withPageServer(
    status: HTTPResponse.Status = .ok, _ body: (PageServer, Folder) async throws -> Void
) async throws {
    let server = try await PageServer(status: status)
    do {
        try await body(server, try Folder())
        await server.stop()
    } catch {
        await server.stop()
        throw error
    }
}
