// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import NIOSSL
import SwiftASN1
import TestServer
import Testing
import X509

@testable import ChallengeLab

@Suite("The command behaves as in its transcripts") struct TranscriptTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Cases")

    static let files: [String] =
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.filter { $0.hasSuffix(".txt") }.sorted()
        ?? []

    @Test("There is a minimum number of transcripts") func present() {
        #expect(!Self.files.isEmpty)
    }

    @Test("Every transcript matches the output", .timeLimit(.minutes(5)), arguments: files)
    func transcript(_ file: String) async throws {
        let text = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
        let run = try TranscriptRun(name: file, text: text)
        do {
            for step in try Transcript(text).steps { try await run.perform(step) }
            try await run.stop()
        } catch {
            try? await run.stop()
            throw error
        }
    }
}

/// The servers and the folder of one transcript.
private final class TranscriptRun {
    private let name: String
    private let text: String
    private let folder: Folder
    private var servers: [String: ReplyServer] = [:]
    private var faults: [FaultServer] = []
    /// The certificates of all servers with `tls`, created for the first such server.
    private var certificates: LabCertificates?
    private var lab: Lab?
    private var ports: [String: Int] = [:]

    init(name: String, text: String) throws {
        (self.name, self.text) = (name, text)
        folder = try Folder()
    }

    func perform(_ step: Transcript.Step) async throws {
        switch step {
        case .server(let name, let options, let replies):
            let lineEnd = options.contains("lf") ? "\n" : "\r\n"
            let identity = options.contains("tls") ? try makeCertificates().good : nil
            if let option = options.first(where: { $0.hasPrefix("fault=") }) {
                let known = (Fault.ofHTTP1 + Fault.ofHTTP2).first { $0.name == option.dropFirst("fault=".count) }
                let server = try await FaultServer.start(try #require(known).fault, presenting: identity)
                faults.append(server)
                ports[name] = server.port
                return
            }
            let tls = try identity.map { try NIOSSLContext(configuration: LabTLS.configuration(presenting: $0)) }
            let replies = replies.map { ReplyServer.Reply($0.map(filled), lineEnd: lineEnd) }
            let server = try await ReplyServer.start(replies, tls: tls)
            servers[name] = server
            ports[name] = server.port
        case .lab:
            let named = LabServer.Kind.allCases.filter { text.contains("{\($0.rawValue)}") }
            let lab = try await Lab.start(Set(named))
            try lab.save(to: URL(filePath: folder.path))
            for server in lab.servers { ports[server.name] = server.port }
            self.lab = lab
        case .file(let name, let mode, let lines):
            _ = try folder.write(filled(lines.map { $0 + "\n" }.joined()), to: name)
            try folder.setMode(mode, of: name)
        case .run(let command):
            try await check(command)
        case .received(let name, let lines, let number):
            let received = (servers[name]?.takeRequests() ?? []).map(shown)
            #expect(
                LinePattern.matches(received[...], lines[...]),
                "\(self.name):\(number): \(name) received:\n\(received.joined(separator: "\n"))")
        }
    }

    func stop() async throws {
        for server in servers.values { await server.stop() }
        for server in faults { await server.stop() }
        try await lab?.stop()
    }

    /// Creates the certificates of the transcript's servers, and writes their authority to the folder.
    private func makeCertificates() throws -> LabCertificates {
        if let certificates { return certificates }
        let made = try LabCertificates(now: Date())
        _ = try folder.write(try made.rootPEM.pemString + "\n", to: "server-ca.pem")
        certificates = made
        return made
    }

    private func check(_ command: Transcript.Command) async throws {
        let place = "\(name):\(command.line): \(command.text)"
        let outcome = try await run(filled(command.text))
        let (output, errors) = (lines(outcome.output), lines(outcome.errors))
        let words = command.text.split(separator: " ").map(String.init)
        if words.first == "countersign", !command.text.contains(where: "|>;".contains) {
            try await JSONSchemas.check(Array(outcome.output.utf8), of: Array(words.dropFirst()))
        }
        #expect(outcome.status == command.status, "\(place)\n\(errors.joined(separator: "\n"))")
        #expect(
            LinePattern.matches(output[...], command.output[...]),
            "\(place)\nstandard output:\n\(output.joined(separator: "\n"))")
        #expect(
            LinePattern.matches(errors[...], command.errors[...]),
            "\(place)\nstandard error:\n\(errors.joined(separator: "\n"))")
    }

    private func lines(_ text: String) -> [String] {
        guard !text.isEmpty else { return [] }
        var lines = shown(text).components(separatedBy: "\n")
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    /// Returns the text with the servers' ports instead of their names.
    private func filled(_ text: String) -> String {
        ports.reduce(text) { $0.replacing("{\($1.key)}", with: String($1.value)) }
    }

    /// Returns the text with names instead of ports and of the folder's path.
    private func shown(_ text: String) -> String {
        ports.reduce(text.replacing(folder.path, with: "{folder}")) {
            $0.replacing(":\($1.value)", with: ":{\($1.key)}")
        }
    }

    private struct Outcome {
        let status: Int32
        let output: String
        let errors: String
    }

    /// Runs a shell in the folder, with its output in files, because a pipe could fill up.
    private func run(_ text: String) async throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", text]
        process.currentDirectoryURL = URL(filePath: folder.path)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        process.environment = [
            "PATH": "\(Self.products.path):\(path)", "HOME": folder.path,
            "COUNTERSIGN_HOME": folder.file(".countersign"),
            "LC_ALL": "C.UTF-8", "TMPDIR": folder.path, "XDG_RUNTIME_DIR": folder.path,
        ]
        process.standardInput = FileHandle.nullDevice
        let (output, errors) = (try newFile("stdout"), try newFile("stderr"))
        (process.standardOutput, process.standardError) = (output, errors)
        defer {
            // Foundation keeps an ended process with its files, and may crash if 1,350 are open when a process starts.
            for file in [output, errors] { try? file.close() }
            for name in ["stdout", "stderr"] { try? FileManager.default.removeItem(atPath: captured(name)) }
        }
        let status = try await process.end()
        let text = { (name: String) in
            String(decoding: FileManager.default.contents(atPath: self.captured(name)) ?? Data(), as: UTF8.self)
        }
        return Outcome(status: status, output: text("stdout"), errors: text("stderr"))
    }

    /// Returns a path next to the folder, so that `ls` in the folder lists only the command's files.
    private func captured(_ name: String) -> String { folder.path + "." + name }

    private func newFile(_ name: String) throws -> FileHandle {
        _ = FileManager.default.createFile(atPath: captured(name), contents: nil)
        return try #require(FileHandle(forWritingAtPath: captured(name)))
    }

    /// The folder in which the build places the commands and the test bundle.
    private static let products = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent()
}
