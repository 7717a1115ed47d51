// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Testing

@testable import CommandSupport
@testable import CountersignCommand

@Suite struct GetTests {
    /// Replaces placeholders in arguments: `{kind}` is a server's
    /// URL, `{kind/path}` another path of it, `<file>` a lab file.
    private static func fill(_ arguments: [String], _ lab: Lab, _ folder: Folder) -> [String] {
        arguments.map { argument in
            var text = argument
            for server in lab.servers {
                text = text.replacing("{\(server.name)}", with: server.url)
                let login = "://\(Lab.credentials.user):\(Lab.credentials.password)@"
                text = text.replacing("{\(server.name)-as}", with: server.url.replacing("://", with: login))
                text = text.replacing("{\(server.name)/", with: lab.url(server.kind, "/") + "{")
            }
            return text.replacing("{", with: "").replacing("}", with: "").replacing("<", with: folder.path + "/")
                .replacing(">", with: "")
        }
    }

    private static let trust = ["--anchor", "<ca.pem>", "--trust", "anchors-only"]

    struct Case: Sendable {
        let arguments: [String]
        let status: CommandStatus
        let words: String

        init(_ arguments: [String], _ status: CommandStatus, _ words: String) {
            self.arguments = arguments
            self.status = status
            self.words = words
        }
    }

    static let cases: [Case] = [
        Case(["{plain-http}"], CommandStatus.done, ""),
        Case(["{good-https}"] + trust, .done, ""),
        Case(["{good-https}", "--trust", "disabled"], .done, "can read and change everything"),
        Case(["{self-signed}"] + trust, .notTrusted, "its certificate is signed with its own key"),
        Case(["{expired}"] + trust, .notTrusted, "expired on"),
        Case(["{not-yet-valid}"] + trust, .notTrusted, "valid only from"),
        Case(["{wrong-host}"] + trust, .notTrusted, "elsewhere.test"),
        Case(["{missing-intermediate}"] + trust, .notTrusted, "Countersign Lab Intermediate"),
        Case(
            ["{good-https}", "--pin", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="] + trust, .notTrusted, "pin"
        ),
        Case(["{basic}"] + trust, .notAuthenticated, "wants a user and password"),
        Case(["{basic}", "--user", "lab", "--password-file", "<password>"] + trust, .done, ""),
        Case(["{digest-md5}", "--user", "lab", "--password-file", "<password>"] + trust, .done, ""),
        Case(["{basic}", "--user", "lab", "--password-file", "<wrong>"] + trust, .notAuthenticated, "rejected"),
        Case(
            ["{wrong-password-forever}", "--user", "lab", "--password-file", "<password>"] + trust, .notAuthenticated,
            "rejected"),
        Case(["{basic}", "--password-file", "<password>"] + trust, .usage, "--user"),
        Case(["{good-https}", "--proxy-user", "lab"] + trust, .usage, "--proxy"),
        Case(["{client-certificate-required}"] + trust, .notAuthenticated, "--identity"),
        Case(
            ["{client-certificate-required}"] + trust, .notAuthenticated,
            "requires a client certificate issued by CN=Countersign Lab Root."),
        Case(
            ["{client-certificate-required}", "--identity", "<client.pem>", "-v"] + trust, .done,
            "*   one issued by CN=Countersign Lab Root"),
        Case(["{client-certificate-required}", "--identity", "<client.pem>"] + trust, .done, ""),
        Case(["{good-https}", "--proxy", "{proxy-open}"] + trust, .done, ""),
        Case(["{good-https}", "--proxy", "{proxy-digest}"] + trust, .notAuthenticated, "--proxy-user"),
        Case(
            ["{good-https}", "--proxy", "{proxy-digest}", "--proxy-user", "lab", "--proxy-password-file", "<password>"]
                + trust, .done, ""),
        Case(["{truncated-body}"], .failed, "ended the body after 500 of 1000 bytes"),
        Case(["{endless-redirect}"], .failed, "redirected more than 20 times"),
        Case(["{endless-redirect/loop}"], .failed, "form a loop"),
        Case(["{plain-http/status/404}"], .failed, "404"),
        Case(["http://127.0.0.1:1/"], .failed, "refused the connection"),
        Case(["http://nowhere.invalid/"], .failed, "host nowhere.invalid was not found"),
        Case(["ftp://a.test/"], .usage, "Use http: or https:"),
        Case(["https://"], .usage, "has no host"),
        Case(["https://a.test:99999/"], .usage, "port"),
        Case(["https://u:secret%0A@a.test/"], .usage, "control character"),
        Case(["{basic-as}"] + trust, .done, "can see the password in a URL"),
        Case(["{basic}", "--netrc-file", "<netrc>"] + trust, .done, "other users can read"),
        Case(["{basic}", "--netrc-file", "<netrc>", "--user", "lab"] + trust, .done, ""),
        Case(["{basic}", "--netrc-file", "<netrc>", "--user", "eve"] + trust, .notAuthenticated, "--password-file"),
        Case(["{basic}", "--netrc-file", "<broken.netrc>"] + trust, .failed, "Line 1"),
        Case(["{basic}", "--netrc-file", "<nowhere>"] + trust, .failed, "No such file"),
        Case(["{plain-http}", "--netrc"], .done, "going on without it"),
        Case(["{plain-http}", "--send-credentials-across-redirects"], .usage, "--bearer-file"),
        Case(["{plain-http}", "--bearer-fd=-1"], .usage, "not a file descriptor"),
        Case(["//u:secret@a.test/"], .usage, "…@a.test/"),
        Case(["http:///u:secret@a.test/"], .usage, "has no host"),
        Case(["{plain-http/status/407}"], .notAuthenticated, "407"),
        Case(["{plain-http}", "--proxy", "http://127.0.0.1"], .usage, "host:port"),
        Case(["{plain-http}", "--pin", "md5/abc"], .usage, "md5"),
        Case(["{plain-http}", "--trust", "anchors-only"], .usage, "--anchor FILE"),
        Case(["{plain-http}", "--anchor", "<client-key.pem>"], .failed, "private key where a certificate"),
        Case(["{plain-http}", "--anchor", "<password>"], .failed, "PEM"),
        Case(["{plain-http}", "--anchor", "<nowhere>"], .failed, "No such file"),
        Case(["{plain-http}", "--identity", "<ca.pem>"], .failed, "no private key"),
        Case(["{plain-http}", "--identity", "<mixed.pem>"], .failed, "does not belong to the certificate"),
        Case(["{plain-http}", "--user", "lab", "--password-file", "<nowhere>"], .failed, "No such file"),
        Case(["{plain-http}", "-o", "<nowhere/file>"], .failed, "cannot be created"),
    ]

    @Test("Each request ends with its exit status and its message", arguments: cases)
    func outcomes(_ row: Case) async throws {
        try await withLab { lab, folder async throws in
            _ = try folder.write(Lab.credentials.password + "\n", to: "password")
            _ = try folder.write("hunter2\n", to: "wrong")
            let login = "login \(Lab.credentials.user) password \(Lab.credentials.password)"
            _ = try folder.write("machine localhost \(login)\n", to: "netrc")
            _ = try folder.write(login, to: "broken.netrc")
            let pair = (folder.contents(of: "ca.pem") ?? []) + (folder.contents(of: "client-key.pem") ?? [])
            _ = try folder.write(String(decoding: pair, as: UTF8.self), to: "mixed.pem")
            let before = folder.names
            let run = try await CommandRun(["get"] + Self.fill(row.arguments, lab, folder), home: folder)
            #expect(run.status == row.status)
            #expect(run.errors.contains(row.words) || row.words.isEmpty, "\(row.arguments): \(run.errors)")
            for secret in ["hunter2", Lab.credentials.password, "secret@"] {
                let names = ["countersign:", "User-Agent: countersign"]
                #expect(!names.reduce(run.errors) { $0.replacing($1, with: "") }.contains(secret))
            }
            #expect(folder.names == before, "something was left behind")
        }
    }

    @Test("An incomplete body does not replace the file") func incompleteFile() async throws {
        try await withLab { lab, folder async throws in
            _ = try folder.write("the old one", to: "file")
            let failed = try await CommandRun(
                ["get", lab[.truncatedBody].url, "-o", folder.file("file")], home: folder)
            #expect(failed.status == .failed)
            #expect(folder.contents(of: "file") == Array("the old one".utf8))
            let done = try await CommandRun(
                ["get", lab.url(.plainHTTP, "/bytes/100000"), "-o", folder.file("file")], home: folder)
            #expect(done.status == .done)
            #expect(folder.contents(of: "file")?.count == 100_000)
            #expect(!folder.names.contains { $0.contains(".part") })
        }
    }

    @Test("Devices and symbolic links are written to and not replaced") func devicesAndLinks() async throws {
        try await withLab { lab, folder async throws in
            let run = try await CommandRun(["get", lab[.plainHTTP].url, "-o", "/dev/null"], home: folder)
            #expect(run.status == .done)
            #expect(Folder.isDevice("/dev/null"))

            _ = try folder.write("the old one", to: "target")
            try folder.link("link", to: "target")
            let linked = try await CommandRun(["get", lab[.plainHTTP].url, "-o", folder.file("link")], home: folder)
            #expect(linked.status == .done)
            #expect(folder.contents(of: "target") == Array("Countersign lab\n".utf8))
            #expect(folder.isLink("link"))
            #expect(
                try await CommandRun(["get", lab[.plainHTTP].url, "-o", folder.path], home: folder).status == .failed)
        }
    }

    @Test("The command asks for a missing user and password") func passwordQuestion() async throws {
        try await withLab { lab, folder async throws in
            let arguments = ["get", lab[.basic].url, "--anchor", folder.file("ca.pem"), "--trust", "anchors-only"]
            let run = try await CommandRun(
                arguments, home: folder, answers: ["lab", "wrong", "lab", Lab.credentials.password])
            #expect(run.status == .done)
            #expect(run.questions.count == 4)
            #expect(run.questions.first?.contains("localhost:\(lab[.basic].port)") == true)
            #expect(run.questions.first?.contains("\"Countersign lab\"") == true)
            #expect(run.questions.first?.contains("the connection is encrypted") == true)
            #expect(run.questions[2].contains("rejected the last answer"))
        }
    }

    @Test(
        "The command asks whether to trust an unknown certificate",
        arguments: [("y", CommandStatus.done), ("n", .notTrusted), ("", .notTrusted)])
    func trustQuestion(answer: String, status: CommandStatus) async throws {
        try await withLab { lab, folder async throws in
            let run = try await CommandRun(["get", lab[.selfSigned].url], home: folder, answers: [answer])
            #expect(run.status == status)
            for words in [
                "Subject:", "Issuer:", "Valid:", "Fingerprint:",
                "is not trusted: its certificate is signed with its own key",
            ] {
                #expect(run.questions.first?.contains(words) == true)
            }
        }
    }

    @Test("The command does not ask about a pin mismatch") func pinMismatch() async throws {
        try await withLab { lab, folder async throws in
            let pin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
            let run = try await CommandRun(["get", lab[.selfSigned].url, "--pin", pin], home: folder, answers: ["y"])
            #expect(run.status == .notTrusted)
            #expect(run.questions.isEmpty)
        }
    }

    @Test("A replaced file keeps its permissions") func permissions() async throws {
        try await withLab { lab, folder async throws in
            _ = try folder.write("the old one", to: "file")
            try folder.setMode(0o600, of: "file")
            _ = try await CommandRun(["get", lab[.plainHTTP].url, "-o", folder.file("file")], home: folder)
            #expect(folder.mode(of: "file") == 0o600)
        }
    }

    @Test("A password from the command line is used only for the host of the URL") func redirectedPassword()
        async throws
    {
        try await withLab { lab, folder async throws in
            let password = try folder.write(Lab.credentials.password, to: "password")
            let target = lab.url(.plainHTTP, "/redirect-to?url=" + lab[.basic].url)
            let run = try await CommandRun(
                ["get", target, "--user", "lab", "--password-file", password, "--anchor", folder.file("ca.pem")],
                home: folder)
            #expect(run.status == .notAuthenticated)
        }
    }

    @Test("The JSON output holds the report or the error") func json() async throws {
        try await withLab { lab, folder async throws in
            let good = try await CommandRun(
                ["get", lab[.goodHTTPS].url, "--anchor", folder.file("ca.pem"), "--json"], home: folder)
            #expect(good.status == .done)
            for key in ["\"status\" : 200", "\"bytes\" : 16", "\"version\" : \"TLSv1.3\"", "\"challenges\""] {
                #expect(good.text.contains(key))
            }
            let bad = try await CommandRun(["get", lab[.selfSigned].url, "--json"], home: folder)
            #expect(bad.status == .notTrusted)
            #expect(bad.text.contains("\"code\" : \"trust.self-signed\""))
            #expect(bad.text.contains("\"advice\""))
            #expect(bad.text.contains("\"verdict\""))
            let missing = try await CommandRun(
                ["get", lab.url(.plainHTTP, "/status/404"), "--json"], home: folder)
            #expect(missing.status == .failed)
            #expect(missing.text.contains("\"code\" : \"response.status\""))
        }
    }

    @Test(
        "Wrong arguments are refused",
        arguments: [["get"], ["get", "--nonsense"], ["nonsense"], ["get", "http://a.test/", "--password", "p"]])
    func wrongArguments(arguments: [String]) async throws {
        let home = try Folder()
        await #expect(throws: (any Error).self) { try await CommandRun(arguments, home: home) }
    }
}
