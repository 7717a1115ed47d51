// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ChallengeLab
import HTTPTransport
import TestServer
import Testing
@testable import CommandSupport
@testable import CountersignCommand
import EssentialFoundation

@Suite struct InspectTests {
    struct Case: Sendable {
        let kind: LabServer.Kind
        let arguments: [String]
        let status: CommandStatus
        let words: [String]

        init(_ kind: LabServer.Kind, _ arguments: [String], _ status: CommandStatus, _ words: String...) {
            self.kind = kind
            self.arguments = arguments
            self.status = status
            self.words = words
        }
    }

    private static let trust = ["--trust", "anchors-only", "--anchor", "<ca.pem>"]

    static let cases: [Case] = [
        Case(
            .goodHTTPS, trust, .done, "trusted", "days left", "pin          sha256/", "renew it before", "TLSv1.3"),
        Case(.goodHTTPS, [], .notTrusted, "Countersign Lab Root is missing", "--trust imported, or --anchor FILE"),
        Case(.wrongHost, trust, .notTrusted, "trust.host-mismatch", "Use a name that it is for: elsewhere.test."),
        Case(.expired, trust, .notTrusted, "ended 1 day ago", "localhost has to be renewed", "not trusted"),
        Case(.notYetValid, trust, .notTrusted, "not yet valid", "check the clock"),
        Case(
            .unknownRoot, trust, .notTrusted, "trust import FILE --fingerprint",
            "(Untrusted Root) is a root: clients have"
        ),
        Case(.selfSigned, trust, .notTrusted, "trust.self-signed", "Get the certificate of localhost from its owner"),
        Case(.missingIntermediate, trust, .notTrusted, "the server has to send it"),
        Case(
            .clientCertificateRequired, trust, .done, "asks for a client certificate issued by CN=Countersign Lab Root"),
        Case(.goodHTTPS, ["--trust", "disabled"], .done, "not validated", "not asked   path and signatures"),
        Case(
            .goodHTTPS, trust + ["--pin", "sha256/" + String(repeating: "A", count: 43) + "="], .notTrusted,
            "--pin sha256/"),
        Case(.goodHTTPS, trust + ["--revocation", "soft-fail"], .done, "unknown     revocation"),
        Case(
            .goodHTTPS, trust + ["--revocation", "hard-fail"], .notTrusted, "trust.revocation-unknown",
            "--revocation soft-fail"),
        Case(.selfSigned, ["--trust", "first-use"], .done, "accepted for its key alone", "waived      path and sign"),
        Case(.goodHTTPS, trust + ["--proxy", "{proxy-open}"], .done, "trusted"),
        Case(.goodHTTPS, trust + ["--proxy", "{proxy-digest}"], .notAuthenticated, ""),
    ]

    @Test("Each chain is explained with its checks and advice", arguments: cases)
    func chains(_ one: Case) async throws {
        try await withLab { lab, folder async throws in
            let arguments = one.arguments.map { argument in
                var text = argument.replacing("<", with: folder.path + "/").replacing(">", with: "")
                for server in lab.servers { text = text.replacing("{\(server.name)}", with: server.url) }
                return text
            }
            let run = try await CommandRun(
                ["trust", "inspect", "localhost:\(lab[one.kind].port)"] + arguments, home: Folder())
            #expect(run.status == one.status, "\(run.text)\(run.errors)")
            for words in one.words { #expect(run.text.contains(words), "\(run.text)") }
            #expect(!run.text.contains("\u{1B}"))
            #expect(lab.requestCount(one.kind) == 0)
        }
    }

    @Test("The path is printed from the anchor down to the leaf") func tree() async throws {
        try await withLab { lab, folder async throws in
            let run = try await CommandRun(
                ["trust", "inspect", lab[.goodHTTPS].url, "--anchor", folder.file("ca.pem")], home: Folder())
            let lines = run.text.split(separator: "\n").map(String.init)
            let subjects = [
                "CN=Countersign Lab Root", "└─ CN=Countersign Lab Intermediate", "   └─ CN=localhost",
            ]
            #expect(subjects.map(lines.firstIndex) == subjects.compactMap(lines.firstIndex).sorted().map { $0 })
            #expect(lines.contains("│ from         your anchors"))
        }
    }

    /// The JSON output of the command.
    struct Report: Decodable {
        struct TLS: Decodable {
            let version: String
        }

        struct Check: Decodable {
            let check: InspectionCheck.Kind
            let outcome: InspectionCheck.Outcome
            let failures: [String]
        }

        let host: String?
        let port: Int?
        let isTrusted: Bool
        struct Record: Decodable {
            let isTrusted: Bool
        }

        let verdict: Record
        let certificates: [CertificateSummary]
        let presented: [String]
        let tls: TLS?
        let checks: [Check]
        let changes: [String]
    }

    @Test("The JSON output holds the same report", arguments: [(LabServer.Kind.goodHTTPS, true), (.wrongHost, false)])
    func json(kind: LabServer.Kind, isTrusted: Bool) async throws {
        try await withLab { lab, folder async throws in
            let run = try await CommandRun(
                ["trust", "inspect", lab[kind].url, "--anchor", folder.file("ca.pem"), "--json"], home: Folder())
            #expect(run.status == (isTrusted ? .done : .notTrusted))
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            let report = try decoder.decode(Report.self, from: Data(run.output))
            #expect(report.host == "localhost")
            #expect(report.port == lab[kind].port)
            #expect(report.isTrusted == isTrusted)
            #expect(report.verdict.isTrusted == isTrusted)
            #expect(report.presented.count == 2)
            let fingerprints = report.certificates.map(\.fingerprint)
            #expect(Set(fingerprints).count == fingerprints.count && fingerprints.starts(with: report.presented))
            #expect(report.tls?.version == "TLSv1.3")
            #expect(report.checks.map(\.check) == InspectionCheck.Kind.allCases)
            let name = try #require(report.checks.first { $0.check == .name })
            #expect(name.outcome == (isTrusted ? .passed : .failed))
            #expect(name.failures == (isTrusted ? [] : ["trust.host-mismatch"]))
            #expect(report.changes.isEmpty == isTrusted)
        }
    }

    @Test(
        "A target that cannot be inspected is named in the error",
        arguments: [
            (arguments: ["http://localhost/"], status: CommandStatus.usage, words: "has no certificates"),
            (arguments: ["ftp://localhost/"], status: .usage, words: "not supported"),
            (arguments: ["a_b c"], status: .usage, words: "not a usable URL"),
            (arguments: ["localhost:99999"], status: .usage, words: "port"),
            (arguments: ["localhost", "--host", "a.test"], status: .usage, words: "--host is for files"),
            (
                arguments: ["./chain.pem", "--proxy", "http://a.test:1"], status: .usage,
                words: "--proxy is for servers"
            ),
            (arguments: ["./chain.pem", "--no-proxy", "*"], status: .usage, words: "--no-proxy is for servers"),
            (arguments: ["a.test", "--proxy", "ftp://a.test:1"], status: .usage, words: "--proxy cannot be used"),
            (arguments: ["./chain.pem", "--fetch-issuers"], status: .failed, words: "chain.pem cannot be read"),
            (arguments: ["./chain.pem", "--starttls", "smtp"], status: .usage, words: "--starttls is for servers"),
            (
                arguments: ["imap://a.test", "--starttls", "smtp"], status: .usage,
                words: "--starttls smtp and imap:// contradict"
            ),
            (arguments: ["-", "--anchor", "-"], status: .usage, words: "- and --anchor contradict each other"),
            (arguments: ["a.test", "--crl", "-", "--ocsp", "-"], status: .usage, words: "--crl and --ocsp contradict"),
            (arguments: ["a.test", "--at", "2026-02-30"], status: .usage, words: "not a date and time"),
            (arguments: ["chain.pem"], status: .failed, words: "chain.pem cannot be read"),
            (arguments: ["127.0.0.1:1"], status: .failed, words: "refused the connection"),
            // A URL without its scheme is a server, and every other text with a slash is a file.
            (arguments: ["127.0.0.1:1/"], status: .failed, words: "refused the connection"),
            (arguments: ["127.0.0.1:1/a.pem"], status: .failed, words: "refused the connection"),
            (arguments: ["127.0.0.1/"], status: .failed, words: "127.0.0.1/ cannot be read"),
            (arguments: ["a b:1/"], status: .failed, words: "a b:1/ cannot be read"),
            (arguments: ["::1:99:1"], status: .failed, words: ""),
            (
                arguments: ["localhost", "--revocation", "hard-fail", "--policy", "p.yaml"], status: .usage,
                words: "--policy cannot be combined"
            ),
        ])
    func refused(arguments: [String], status: CommandStatus, words: String) async throws {
        let run = try await CommandRun(["trust", "inspect"] + arguments, home: Folder())
        #expect(run.status == status, "\(run.errors)")
        #expect(run.errors.contains(words), "\(run.errors)")
    }

    @Test(
        "A server is given as a host, an address or a URL",
        arguments: [
            ("a.test", "https://a.test/"), ("a.test:8443", "https://a.test:8443/"), ("::1", "https://[::1]/"),
            ("[::1]:8443", "https://[::1]:8443/"), ("HTTPS://a.test/x", "HTTPS://a.test/x"),
            ("a.test/", "https://a.test/"), ("a.test:8443/x:y", "https://a.test:8443/"),
            ("[::1]:8443/", "https://[::1]:8443/"),
        ])
    func addresses(text: String, url: String) throws {
        #expect(try ServerAddress(text).url == url)
    }

    @Test(
        "The scheme or the option names the protocol for STARTTLS, and the default port",
        arguments: [
            ("smtp://a.test", nil as StartTLS?, "https://a.test:25/", StartTLS.smtp as StartTLS?),
            ("smtp://a.test:587/x", nil, "https://a.test:587/", .smtp),
            ("IMAP://mary@a.test", nil, "https://a.test:143/", .imap),
            ("ldap://[::1]", nil, "https://[::1]:389/", .ldap),
            ("postgresql://::1", nil, "https://[::1]:5432/", .postgres),
            ("ldaps://a.test", nil, "https://a.test:636/", nil), ("a.test", .pop3, "https://a.test:110/", .pop3),
            ("a.test:26", .smtp, "https://a.test:26/", .smtp),
            ("https://a.test:26/", .smtp, "https://a.test:26/", .smtp),
            ("[::1]:26", .smtp, "https://[::1]:26/", .smtp),
        ])
    func protocols(text: String, option: StartTLS?, url: String, startTLS: StartTLS?) throws {
        let address = try ServerAddress(text, startTLS: option)
        #expect(address.url == url && address.startTLS == startTLS)
    }

    /// The server's lines before the handshake, and the client's.
    static let dialogues: [(arguments: [String], scheme: String, lines: [(reply: String, request: String)])] = [
        (
            ["--starttls", "smtp"], "",
            [
                ("220 a.test ESMTP\r\n", "EHLO localhost\r\n"), ("250-a.test\r\n250 STARTTLS\r\n", "STARTTLS\r\n"),
                ("220 go\r\n", ""),
            ]
        ),
        ([], "imap://", [("* OK ready\r\n", "a1 STARTTLS\r\n"), ("a1 OK go\r\n", "")]),
        (
            [], "ldap://",
            [
                ("", "0\u{1D}\u{2}\u{1}\u{1}w\u{18}?\u{16}1.3.6.1.4.1.1466.20037"),
                ("0\u{0C}\u{2}\u{1}\u{1}x\u{7}\n\u{1}\u{0}\u{4}\u{0}\u{4}\u{0}", ""),
            ]
        ),
        ([], "postgres://", [("", "\0\0\0\u{8}\u{4}?\u{16}/"), ("S", "")]),
        (
            ["--proxy", "{proxy}"], "smtp://",
            [("220 a\r\n", "EHLO localhost\r\n"), ("250 a\r\n", "STARTTLS\r\n"), ("220 go\r\n", "")]
        ),
    ]

    @Test("A server of another protocol is asked for TLS, directly and through a proxy", arguments: dialogues)
    func startTLS(arguments: [String], scheme: String, lines: [(reply: String, request: String)]) async throws {
        try await withLab { lab, folder async throws in
            let port = lab[.goodHTTPS].port
            let dialogue = TestServer.Behavior.script { connection in
                for line in lines {
                    try await connection.send(bytes: Array(line.reply.utf8))
                    _ = try await connection.bytes(count: line.request.unicodeScalars.count)
                }
            }
            let server = try await TestServer.start(repeating: [dialogue, .forward(to: port)])
            let proxy = lab.servers.first { $0.name == "proxy-open" }?.url ?? ""
            let run = try await CommandRun(
                ["trust", "inspect", "\(scheme)localhost:\(server.port)", "--anchor", folder.file("ca.pem")]
                    + arguments.map { $0.replacing("{proxy}", with: proxy) }, home: Folder())
            #expect(run.status == .done, "\(run.text)\(run.errors)")
            #expect(
                run.text.contains("localhost:\(server.port): trusted") && run.text.contains("TLSv1.3"), "\(run.text)")
            await server.stop()
        }
    }

    @Test(
        "A server that does not start TLS is named with its reply",
        arguments: [
            (
                reply: "220 a.test\r\n250 a.test\r\n502 no\r\n",
                words: "does not start TLS in the protocol smtp: \"502 no\""
            ),
            (reply: "SSH-2.0-x\r\n", words: "does not speak the protocol smtp: \"SSH-2.0-x\""),
            (reply: "", words: "sent nothing for 1 second during the TLS"),
        ])
    func noStartTLS(reply: String, words: String) async throws {
        let server = try await TestServer.start(repeating: [.send(Array(reply.utf8)), .stall])
        let run = try await CommandRun(
            ["trust", "inspect", "smtp://localhost:\(server.port)", "--connect-timeout", reply.isEmpty ? "1" : "30"],
            home: Folder())
        #expect(run.status == .failed && run.errors.contains(words), "\(run.errors)")
        await server.stop()
    }

    @Test("--resolve, --connect-to, --at and --max-time have the same meaning as elsewhere") func connections()
        async throws
    {
        try await withLab { lab, folder async throws in
            let port = lab[.goodHTTPS].port
            let trust = ["--anchor", folder.file("ca.pem")]
            for target in [["--resolve", "a.test:\(port):127.0.0.1"], ["--connect-to", "::localhost:\(port)"]] {
                let run = try await CommandRun(["trust", "inspect", "a.test:\(port)"] + target + trust, home: Folder())
                #expect(
                    run.status == .notTrusted && run.text.contains("trust.host-mismatch"), "\(run.text)\(run.errors)")
            }
            let late = try await CommandRun(
                ["trust", "inspect", "localhost:\(port)", "--at", "2090-01-01"] + trust, home: Folder())
            #expect(late.status == .notTrusted && late.text.contains("trust.expired"), "\(late.text)\(late.errors)")
        }
        let silent = try await TestServer.start(repeating: [.stall])
        let run = try await CommandRun(
            ["trust", "inspect", "localhost:\(silent.port)", "--max-time", "0.3"], home: Folder())
        #expect(run.status == .failed && run.errors.contains("total timeout of 300 milliseconds"), "\(run.errors)")
        await silent.stop()
    }

    @Test("SSL_CERT_FILE and SSL_CERT_DIR replace the system's anchors, and an unusable one is an error")
    func anchorVariables() async throws {
        try await withLab { lab, folder async throws in
            let server = "localhost:\(lab[.goodHTTPS].port)"
            let authorities = try Folder()
            let pem = String(decoding: try #require(folder.contents(of: "ca.pem")), as: UTF8.self)
            _ = try authorities.write("# nothing", to: "README")
            _ = try authorities.write(pem, to: "12345678.0")
            let cases: [(environment: [String: String], status: CommandStatus, words: String)] = [
                (["SSL_CERT_FILE": folder.file("ca.pem")], .done, "anchors: SSL_CERT_FILE=\(folder.file("ca.pem"))"),
                (["SSL_CERT_DIR": "/nonexistent:" + authorities.path], .done, "anchors: SSL_CERT_DIR=/nonexistent:"),
                (["SSL_CERT_FILE": "", "SSL_CERT_DIR": ""], .notTrusted, "trust.issuer-not-found"),
                (
                    ["SSL_CERT_FILE": "/nonexistent"], .notTrusted,
                    "The environment variable SSL_CERT_FILE names /nonexistent"
                ),
                (
                    ["SSL_CERT_DIR": "/nonexistent"], .notTrusted,
                    "The environment variable SSL_CERT_DIR names /nonexistent"
                ),
            ]
            for one in cases {
                let run = try await CommandRun(
                    ["trust", "inspect", server], home: Folder(), environment: one.environment)
                #expect(
                    run.status == one.status && (run.text + run.errors).contains(one.words), "\(run.text)\(run.errors)")
            }
            let get = try await CommandRun(
                ["get", lab[.goodHTTPS].url, "-v"], home: Folder(),
                environment: ["SSL_CERT_FILE": folder.file("ca.pem")])
            #expect(get.status == .done && get.errors.contains("anchors: SSL_CERT_FILE="), "\(get.errors)")
            // The variable is not read if only given anchors count.
            let only = try await CommandRun(
                ["trust", "inspect", server, "--trust", "anchors-only", "--anchor", folder.file("ca.pem")],
                home: Folder(), environment: ["SSL_CERT_FILE": "/nonexistent"])
            #expect(only.status == .done && !only.text.contains("SSL_CERT_FILE"), "\(only.errors)")
        }
    }
}
