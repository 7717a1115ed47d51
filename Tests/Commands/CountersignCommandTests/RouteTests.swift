// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import NIOCore
import TestServer
import Testing

@testable import CommandSupport
@testable import CountersignCommand

@Suite struct RouteTests {
    /// The expected proxy of a request; variables and options contain placeholders, `{kind}` for a server's URL.
    struct RouteCase: Sendable, CustomTestStringConvertible {
        let environment: [String: String]
        let arguments: [String]
        /// The proxy of the connection; `nil` if it goes directly to the origin.
        let proxy: LabServer.Kind?

        init(_ environment: [String: String], _ arguments: [String], through proxy: LabServer.Kind?) {
            (self.environment, self.arguments, self.proxy) = (environment, arguments, proxy)
        }

        var testDescription: String { "\(environment) \(arguments.joined(separator: " "))" }
    }

    private static let password = ["--proxy-user", "lab", "--proxy-password-file", "<password>"]
    private static let open = "{proxy-open}"

    static let cases: [RouteCase] = [
        RouteCase([:], [], through: nil),
        RouteCase([:], ["--proxy", "{proxy-socks}"], through: .proxySOCKS),
        RouteCase([:], ["--proxy", "{proxy-socks-password}"] + password, through: .proxySOCKSPassword),
        RouteCase([:], ["-x", "localhost:{port of proxy-open}"], through: .proxyOpen),
        RouteCase([:], ["-4"], through: nil),
        RouteCase([:], ["-4", "--proxy", open], through: .proxyOpen),
        // The proxies of the environment do not apply to localhost.
        RouteCase(["https_proxy": open], [], through: nil),
        RouteCase(["all_proxy": open], ["--no-proxy", ""], through: nil),
        RouteCase(["https_proxy": "no proxy at all"], ["--no-proxy", "*"], through: nil),
        RouteCase(["https_proxy": "http://127.0.0.1:1"], ["--proxy", open], through: .proxyOpen),
        RouteCase(
            ["https_proxy": "no proxy at all", "no_proxy": "localhost"], ["--proxy", open], through: .proxyOpen),
        RouteCase([:], ["--proxy", open, "--no-proxy", "localhost"], through: nil),
    ]

    static let environments: [RouteCase] = [
        RouteCase([:], [], through: nil),
        RouteCase(["https_proxy": open], [], through: .proxyOpen),
        RouteCase(["HTTPS_PROXY": "{proxy-socks}"], [], through: .proxySOCKS),
        RouteCase(["all_proxy": open], [], through: .proxyOpen),
        RouteCase(["http_proxy": open], [], through: nil),
        RouteCase(["https_proxy": open, "no_proxy": "intranet.test"], [], through: nil),
        RouteCase(["https_proxy": open, "no_proxy": "intranet.test"], ["--no-proxy", ""], through: .proxyOpen),
        RouteCase(["https_proxy": open, "NO_PROXY": "intranet.test"], ["--no-proxy", "a.test"], through: .proxyOpen),
        RouteCase(["https_proxy": open], ["--no-proxy", "a.test, intranet.test"], through: nil),
        RouteCase(["https_proxy": open], ["--no-proxy", "*"], through: nil),
        RouteCase(["https_proxy": "{proxy-basic}"], password, through: .proxyBasic),
        RouteCase(["all_proxy": "{proxy-socks-password}"], password, through: .proxySOCKSPassword),
    ]

    @Test("A request goes through the proxy that the environment selects", arguments: environments)
    func environment(row: RouteCase) async throws {
        try await withLab { lab, folder async throws in
            _ = try folder.write(Lab.credentials.password, to: "password")
            let fill = { (text: String) in Self.fill(text, lab, folder) }
            let port = lab[.goodHTTPS].port
            let run = try await CommandRun(
                [
                    "get", "https://intranet.test:\(port)/", "--anchor", folder.file("ca.pem"),
                    "--connect-to", "intranet.test:\(port):localhost:\(port)",
                ] + row.arguments.map(fill), home: folder, environment: row.environment.mapValues(fill))
            // The lab's certificates are not for this name.
            #expect(run.status == .notTrusted, "\(run.errors)")
            for kind in [LabServer.Kind.proxyOpen, .proxySOCKS, .proxyBasic, .proxySOCKSPassword] {
                #expect((lab.requestCount(kind) > 0) == (kind == row.proxy), "\(kind)")
            }
        }
    }

    @Test("A request goes through the proxy that options select", arguments: cases)
    func routes(row: RouteCase) async throws {
        try await withLab { lab, folder async throws in
            _ = try folder.write(Lab.credentials.password, to: "password")
            let fill = { (text: String) in Self.fill(text, lab, folder) }
            let run = try await CommandRun(
                ["get", lab[.goodHTTPS].url, "--anchor", folder.file("ca.pem"), "--json"] + row.arguments.map(fill),
                home: folder, environment: row.environment.mapValues(fill))
            #expect(run.status == .done, "\(run.errors)")
            let proxy = row.proxy.map { "\"proxy\" : \"\(lab[$0].url.replacing("socks5h:", with: "socks5:"))\"" }
            #expect(run.text.contains(proxy ?? "\"status\" : 200"), "\(run.text)")
            #expect(run.text.contains("\"proxy\" : ") == (row.proxy != nil))
        }
    }

    @Test(
        "A proxy that cannot be used is named in the error",
        arguments: [
            (
                ["https_proxy": "gopher://a.test:1"], [], .usage,
                "https_proxy cannot be used: gopher is not a supported kind"
            ),
            (["all_proxy": "http://u:hunter2@"], [], .usage, "all_proxy cannot be used"),
            (["http_proxy": "http://a.test"], [], .usage, "http_proxy cannot be used: its port is missing"),
            (["no_proxy": "10.0.0.0/99"], [], .usage, "no_proxy cannot be used: \"10.0.0.0/99\""),
            (["no_proxy": "localhost"], ["--proxy-user", "mary"], .usage, "--proxy-user has no effect"),
            (["all_proxy": "{proxy-socks-password}"], [], .notAuthenticated, "--proxy-user"),
            (["https_proxy": "{proxy-digest}"], [], .notAuthenticated, "--proxy-user"),
            (["https_proxy": "http://127.0.0.1:1"], [], .failed, "127.0.0.1:1 refused the connection"),
            ([:], ["-6", "--proxy", "127.0.0.1:1"], .failed, "The proxy 127.0.0.1:1 has no IPv6 address."),
            ([:], ["-6", "--resolve", "intranet.test:443:127.0.0.1"], .failed, "127.0.0.1:443 has no IPv6 address"),
        ] as [([String: String], [String], CommandStatus, String)])
    func failures(
        environment: [String: String], arguments: [String], status: CommandStatus, words: String
    ) async throws {
        try await withLab { lab, folder async throws in
            let run = try await CommandRun(
                ["get", "https://intranet.test/"] + arguments, home: folder,
                environment: environment.mapValues { Self.fill($0, lab, folder) })
            #expect(run.status == status)
            #expect(run.errors.contains(words), "\(run.errors)")
            #expect(!run.errors.contains("hunter2"))
        }
    }

    @Test("Chains are inspected through the same proxies") func inspection() async throws {
        try await withLab { lab, folder async throws in
            let arguments = ["trust", "inspect", lab[.goodHTTPS].url, "--anchor", folder.file("ca.pem")]
            let broken = ["https_proxy": "http://127.0.0.1:1"]
            let distant = try await CommandRun(
                ["trust", "inspect", "https://intranet.test/"], home: folder, environment: broken)
            #expect(distant.errors.contains("127.0.0.1:1 refused the connection"), "\(distant.errors)")
            let direct = try await CommandRun(arguments, home: folder, environment: broken)
            #expect(direct.status == .done, "\(direct.errors)")
            let run = try await CommandRun(
                arguments + ["--proxy", lab[.proxySOCKS].url], home: folder, environment: broken)
            #expect(run.status == .done, "\(run.errors)")
            #expect(lab.requestCount(.proxySOCKS) == 1)
        }
    }

    @Test("A Unix socket is connected to without a proxy") func unixSocket() async throws {
        let folder = try Folder()
        let path = folder.file("socket")
        let server = try await TestServer.start(
            on: SocketAddress(unixDomainSocketPath: path),
            [
                [
                    .receiveHead, .send("HTTP/1.1 200 OK", "Content-Length: 6", "Connection: close", ""),
                    .send(Array("a page".utf8)),
                ]
            ])
        let run = try await CommandRun(
            ["get", "http://service.test/", "--unix-socket", path], home: folder,
            environment: ["http_proxy": "http://127.0.0.1:1"])
        await server.stop()
        #expect(run.status == .done, "\(run.errors)")
        #expect(run.text == "a page")
        let missing = try await CommandRun(
            ["get", "http://service.test/", "--unix-socket", folder.file("nowhere")], home: folder)
        #expect(missing.status == .failed)
        #expect(missing.errors.contains("nowhere does not exist"), "\(missing.errors)")
    }

    @Test("--connect-timeout includes the TLS handshake") func silentHandshake() async throws {
        try await TestServer.with([[.stall]]) { server in
            let run = try await CommandRun(
                ["get", "https://127.0.0.1:\(server.port)/", "--connect-timeout", "0.2", "--max-time", "20"],
                home: Folder())
            #expect(run.errors.contains("during the TLS handshake"), "\(run.errors)")
        }
    }

    private static func fill(_ text: String, _ lab: Lab, _ folder: Folder) -> String {
        lab.servers.reduce(text.replacing("<password>", with: folder.file("password"))) { text, server in
            text.replacing("{\(server.name)}", with: server.url)
                .replacing("{port of \(server.name)}", with: String(server.port))
        }
    }
}
