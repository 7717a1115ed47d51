// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSupport
import Countersign
import ErrorExplanations
import Testing

@testable import CountersignCommand

@Suite("Services of the local network instead of URLs") struct ServiceTests {
    private static let anchor = ["--anchor", "ca.pem"]

    @Test(
        "A service is distinguished from a URL by its type",
        arguments: [
            ("Lab basic._https._tcp.local", "Lab basic", true), ("Lab basic._https._tcp.local.", "Lab basic", true),
            ("Lab basic._https._tcp", "Lab basic", true),
            ("B\u{fc}ro \u{2615}._HTTP._TCP.LOCAL", "B\u{fc}ro \u{2615}", false),
            ("Lab tls-1.2._https._tcp.local", "Lab tls-1.2", true), (".local._https._tcp.local", ".local", true),
            ("https://host/._https._tcp.local", nil, false), ("https://web.local/", nil, false),
            ("web.local", nil, false),
            ("Lab basic", nil, false), ("-", nil, false), ("", nil, false),
        ])
    func names(text: String, label: String?, isSecure: Bool) throws {
        let name = try ServiceName(text)
        #expect(name?.label == label)
        #expect((name?.isSecure ?? false) == isSecure)
    }

    @Test(
        "Names of other kinds of services are not looked up",
        arguments: [
            ("Printer._ipp._tcp.local", ServiceError.notWeb("Printer._ipp._tcp.local")),
            ("Web._https._udp.local", .notWeb("Web._https._udp.local")),
            ("_printer._sub._http._tcp.local", .notWeb("_printer._sub._http._tcp.local")),
            ("_tcp", .notWeb("_tcp")), ("_https._tcp.local", .malformed("_https._tcp.local")),
            ("._https._tcp.local", .malformed("._https._tcp.local")),
            ("Web._https._tcp.example.com", .notLocal("Web._https._tcp.example.com")),
            ("Web._https._tcp.local/page", .notLocal("Web._https._tcp.local/page")),
        ])
    func refusedNames(text: String, error: ServiceError) {
        #expect(throws: error) { try ServiceName(text) }
    }

    @Test(
        "Without a trusted certificate, no service is looked up",
        arguments: [
            [], ["--trust", "default"], ["--trust", "imported"], ["--trust", "first-use"],
            anchor + ["--trust", "default"], anchor + ["--trust", "first-use"],
            ["--pin", "sha256/AAAA", "--trust", "first-use"], ["--keychain"],
        ])
    func trustIsNeeded(options: [String]) async throws {
        let run = try await CommandRun(["get", "Web._https._tcp.local"] + options, home: Folder())
        #expect(run.status == .notTrusted)
        #expect(run.errors.contains("Nothing says which certificate \"Web._https._tcp.local\" must have."))
        #expect(run.errors.contains("--anchor FILE, --pin, --service-host HOST, --policy FILE"))
    }

    @Test(
        "A server without TLS gets no credential",
        arguments: [
            ["--user", "mary"], ["--bearer-env", "TOKEN"], ["--netrc"], ["--netrc-file", "netrc"], ["--keychain"],
            ["-H", "Authorization: Basic eDp5"], ["--identity", "client.pem"],
        ])
    func credentials(options: [String]) async throws {
        let run = try await CommandRun(["get", "Web._http._tcp.local"] + options, home: Folder())
        #expect(run.status == .usage)
        #expect(run.errors.contains("cannot be used with \"Web._http._tcp.local\", which does not use TLS."))
    }

    @Test(
        "Options and URLs that contradict services are refused",
        arguments: [
            ["https://localhost/", "Web._https._tcp.local"], ["https://localhost/", "--service-host", "localhost"],
            ["Web._https._tcp.local", "--unix-socket", "/run/socket"],
        ])
    func contradictions(arguments: [String]) async throws {
        let run = try await CommandRun(["get"] + arguments + Self.anchor, home: Folder())
        #expect(run.status == .usage)
    }

    // MARK: Answers of the program

    private func answer(
        host: String = "lab.local.", port: Int = 8443, addresses: [String] = ["192.0.2.1"], path: String = "/"
    ) -> ServiceAnswer {
        ServiceAnswer(host: host, port: port, addresses: addresses, path: path)
    }

    private func service(_ answers: [ServiceAnswer], host: String? = nil) throws -> FoundService {
        let name = try #require(try ServiceName("Web._https._tcp.local"))
        return try FoundService(answers, name: name, host: try host.map { try HostName($0) })
    }

    @Test("An answer provides the URL, and the address of the connections") func url() throws {
        let found = try service([answer(addresses: ["fe80::1%eth0", "192.0.2.1", "2001:db8::1"], path: "/a?b=c")])
        #expect(found.url == "https://lab.local:8443/a?b=c")
        #expect(found.destination.description == "192.0.2.1:8443")
        #expect(try service([answer(addresses: ["2001:db8::1"])]).destination.description == "[2001:db8::1]:8443")
    }

    @Test("The user's host name replaces the one that was found") func ownHost() throws {
        let found = try service([answer()], host: "web.example")
        #expect(found.url == "https://web.example:8443/")
        #expect(found.destination.description == "192.0.2.1:8443")
    }

    @Test(
        "A path cannot change the rest of the URL",
        arguments: [
            ("@evil.example/", "/@evil.example/"), ("", "/"), ("/a b#c", "/a%20b%23c"),
            ("//evil.example", "//evil.example"),
            ("/\r\nHost: x", "/%0D%0AHost:%20x"), ("/%41", "/%41"), ("/\u{fc}", "/%C3%BC"),
        ])
    func path(path: String, expected: String) throws {
        let found = try service([answer(path: path)])
        #expect(found.url == "https://lab.local:8443" + expected)
        #expect(try HostEndpoint(of: found.url) == found.endpoint)
    }

    @Test("The same server on two networks is accepted, and two servers are ambiguous") func ambiguous() throws {
        #expect(throws: Never.self) { try service([answer(), answer(addresses: ["198.51.100.1"])]) }
        #expect(throws: ServiceError.ambiguous("Web._https._tcp.local", ["a.local:1", "b.local:1"])) {
            try service([answer(host: "b.local.", port: 1), answer(host: "a.local.", port: 1)])
        }
        #expect(throws: ServiceError.ambiguous("Web._https._tcp.local", ["lab.local:8443", "lab.local:8444"])) {
            try service([answer(), answer(port: 8444)])
        }
    }

    @Test(
        "A service can only be on a host of the local network",
        arguments: ["www.example.com.", "192.0.2.1", "local.", "evil.local.example.", "a b.local.", "", "."])
    func foreignHosts(host: String) {
        #expect(throws: ServiceError.foreignHost("Web._https._tcp.local", host: host)) {
            try service([answer(host: host)])
        }
    }

    @Test("A host needs a usable address", arguments: [[], ["fe80::1%eth0"], ["fe80::1"], ["x"]])
    func noAddress(addresses: [String]) {
        #expect(throws: ServiceError.noAddress("Web._https._tcp.local", host: "lab.local")) {
            try service([answer(addresses: addresses)])
        }
    }

    /// Returns the answers of a shell script that replaces `countersign-discover`.
    private func lookUp(_ script: String) async throws -> [ServiceAnswer] {
        let folder = try Folder()
        let program = try folder.write("#!/bin/sh\n" + script + "\n", to: "countersign-discover")
        try folder.setMode(0o755, of: "countersign-discover")
        let name = try #require(try ServiceName("Web._https._tcp.local"))
        return try await ServiceLookup(program: program).answers(for: name)
    }

    @Test("The program's lines are read, and a missing answer is an error") func program() async throws {
        let answers = try await lookUp(
            #"""
            [ "$*" = "--json --timeout 5 -- Web._https._tcp.local" ] || exit 3
            echo '{"event":"started","via":"own"}'
            echo '{"event":"resolved","host":"lab.local.","port":8443,"addresses":["192.0.2.1"],"txt":{"Path":"/a","x":null}}'
            echo '{"event":"resolved","host":"lab.local.","port":8443,"addresses":[],"interface":"eth1"}'
            """#)
        #expect(answers == [answer(path: "/a"), answer(addresses: [])])
        await #expect(throws: ServiceError.notFound("Web._https._tcp.local")) { try await lookUp("exit 0") }
        await #expect(throws: ServiceError.notFound("Web._https._tcp.local")) {
            try await lookUp(#"echo '{"event":"failed","code":"discover.not-found"}'; exit 1"#)
        }
        await #expect(throws: ServiceError.ended) { try await lookUp("exit 1") }
        await #expect(throws: ServiceError.ended) { try await lookUp("kill -9 $$") }
        let error = await #expect(throws: ServiceError.self) {
            try await lookUp(#"echo '{"event":"failed","code":"discover.port-unavailable","message":"m"}'; exit 1"#)
        }
        #expect(error?.code == "discover.port-unavailable")
    }

    @Test("A missing program is named") func missingProgram() {
        #expect(throws: ServiceError.notInstalled) {
            try DiscoverProgram.path(ExternalCommands(near: nil, searchPath: ""))
        }
    }
}
