// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ChallengeLab
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
}
