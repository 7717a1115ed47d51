// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Foundation
import LabTour
import Testing

@testable import CountersignCommand

@Suite("tour --client") struct ClientTourTests {
    @Test(
        "A command line is split as by a shell, and placeholders are replaced",
        arguments: [
            ("a {url}", ["a", "URL"]), ("  a\t'b  c'\n\"d 'e'\" {url}", ["a", "b  c", "d 'e'", "URL"]),
            ("a b\\ c \\{url\\} '' {url}", ["a", "b c", "{url}", "", "URL"]),
            ("a x={user}:{password} {url}", ["a", "x=lab:", "URL"]),
            ("a [-u {user}] [-t {token}] {url}", ["a", "-u", "lab", "URL"]),
            ("a [-u {user}:{password}] '[' b[1] {url}", ["a", "[", "b[1]", "URL"]),
            ("a [ -u {user} ] {url}", ["a", "-u", "lab", "URL"]),
        ])
    func splitting(text: String, words: [String]) throws {
        #expect(try ClientTemplate(text).filled([.url: "URL", .user: "lab"]) == words)
    }

    @Test(
        "An invalid command line is a usage error",
        arguments: ["", "curl", "curl {link}", "curl 'a {url}", "curl [a {url}", "curl [a [b] {url}]", "curl {url"])
    func wrongTemplates(text: String) {
        #expect(throws: ClientTemplate.Malformed.self) { try ClientTemplate(text) }
    }

    /// A client as a shell command, with the expected result for one server.
    private static let clients: [(script: String, server: String, verdict: String, mark: String)] = [
        ("printf 'Countersign lab\\n'", "good-https", "delivered", "ok"),
        ("true", "good-https", "delivered", "ok"),
        ("printf hello", "good-https", "delivered with a wrong body", "FAIL"),
        ("exit 3", "good-https", "exit 3", "FAIL"),
        ("exit 3", "expired", "exit 3", "ok"),
        ("printf 'Countersign lab\\n'", "expired", "delivered", "FAIL"),
        ("printf 'Countersign lab\\n'", "untrusted-and-client-certificate", "delivered", "FAIL"),
        ("kill -9 $$", "expired", "signal 9", "FAIL"),
        ("sleep 60", "expired", "timed out", "FAIL"),
        ("exit 0", "basic", "not run: no {password}", "-"),
        ("exit 0", "pin-right", "not run: no {pin}", "-"),
    ]

    @Test("A client's result depends on its status and its output", arguments: clients)
    func judging(script: String, server: String, verdict: String, mark: String) async throws {
        let quoted = script.replacing("'", with: "'\\''")
        let arguments = [
            "tour", "--client", "sh -c '\(quoted)' [{client-certificate}] {url}", "--only", server,
            "--client-timeout", "0.5",
        ]
        let run = try await CommandRun(arguments, home: Folder())
        let line = try #require(run.text.split(separator: "\n").first { $0.contains(server) })
        #expect(line.hasPrefix(mark + " "))
        #expect(line.contains(" \(verdict) "))
        #expect(run.status == (mark == "FAIL" ? .failed : .done))
        let json = try await CommandRun(arguments + ["--json"], home: Folder())
        #expect(json.text.contains("\"verdict\" : \"\(verdict)\""))
        #expect(json.text.contains("isAsExpected") == (mark != "-"))
    }

    @Test("A client receives files and arguments for each server") func values() async throws {
        let script = """
            test "$(head -n 1 "$1")" = "-----BEGIN CERTIFICATE-----" && test -s "$2" && test "$3" = lab:countersign \
            || exit 1
            """
        let run = try await CommandRun(
            [
                "tour", "--only", "basic", "--client",
                "sh -c '\(script)' sh {ca} {ca} [{user}:{password}] {url}",
            ], home: Folder())
        #expect(run.status == .done, "\(run.text)")
    }

    @Test("A client's child processes are ended with it") func processGroup() async throws {
        let folder = try Folder()
        let program = TimedProgram(
            ["sh", "-c", "sleep 60 & echo $!; wait"], output: folder.file("out"), errors: folder.file("err"))
        #expect(try await program.run(within: .seconds(3)) == .timedOut)
        let text = String(decoding: try #require(folder.contents(of: "out")), as: UTF8.self)
        let child = try #require(pid_t(text.dropLast()))
        let deadline = ContinuousClock.now + .seconds(60)
        while Self.isRunning(child), ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(10)) }
        #expect(!Self.isRunning(child))
    }

    /// Whether the process exists and is not a zombie, which remains until its new parent waits for it.
    private static func isRunning(_ process: pid_t) -> Bool {
        let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return kill(process, 0) == 0 && state?.contains(") Z ") != true
    }

    @Test("A missing program is an error") func missingProgram() async throws {
        let run = try await CommandRun(
            ["tour", "--client", "no-such-program-here {url}", "--only", "good-https"], home: Folder())
        #expect(run.status == .failed)
        #expect(run.errors.contains("no-such-program-here"))
        let unknown = try await CommandRun(["tour", "--only", "nothing"], home: Folder())
        #expect(unknown.status == .usage)
        #expect(unknown.errors.contains("nothing"))
    }
}
