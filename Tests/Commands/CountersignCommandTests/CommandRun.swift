// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import ChallengeLab
import NIOConcurrencyHelpers
import TestServer
@testable import CommandSupport
@testable import CountersignCommand
import EssentialFoundation
import POSIX

/// One run of the command line in this process, with its output.
struct CommandRun {
    let status: CommandStatus
    let output: [UInt8]
    let errors: String
    let questions: [String]

    var text: String { String(decoding: output, as: UTF8.self) }

    /// Runs a command.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of the command line.
    ///   - home: The folder of the imported anchors.
    ///   - answers: The text that the user types; `nil` if there is no terminal.
    ///   - environment: The environment variables.
    /// - Throws: The parser's error, or an error of the schema check.
    init(
        _ arguments: [String], home: Folder, answers: [String]? = nil, environment: [String: String] = [:]
    ) async throws {
        let output = NIOLockedValueBox<[UInt8]>([])
        let errors = NIOLockedValueBox("")
        let prompter = answers.map { ScriptedPrompter(answers: $0) }
        let console = Console(
            write: { bytes in output.withLockedValue { $0 += bytes } },
            writeError: { text in errors.withLockedValue { $0 += text } },
            prompter: prompter, environment: environment.merging(["COUNTERSIGN_HOME": home.path]) { _, own in own },
            errorOptions: CountersignCommand.errors.options)
        if let command = try CountersignCommand.command(for: arguments) as? any ConsoleCommand {
            status = await command.report(on: console)
        } else {
            status = .done
        }
        self.output = output.withLockedValue { $0 }
        self.errors = errors.withLockedValue { $0 }
        questions = prompter?.asked ?? []
        try await JSONSchemas.check(self.output, of: arguments)
    }
}

/// A prompter with prepared answers.
final class ScriptedPrompter: Prompter {
    private let answers: NIOLockedValueBox<[String]>
    private let questions = NIOLockedValueBox<[String]>([])

    init(answers: [String]) {
        self.answers = NIOLockedValueBox(answers)
    }

    var asked: [String] { questions.withLockedValue { $0 } }

    func ask(_ question: String, isSecret: Bool) async -> String? {
        questions.withLockedValue { $0.append(question) }
        return answers.withLockedValue { $0.isEmpty ? nil : $0.removeFirst() }
    }

    func restore() {}
}

/// A temporary folder for one test.
final class Folder {
    let path: String

    init() throws {
        let name = "lab-test-" + String(UInt64.random(in: .min ... .max), radix: 36)
        path = FileManager.default.temporaryDirectory.appending(path: name).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }

    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: file(name)))
        return file(name)
    }

    func contents(of name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: file(name)).map(Array.init)
    }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}

/// Runs a test with a lab and a folder with the lab's files.
func withLab(_ body: (Lab, Folder) async throws -> Void) async throws {
    try await Lab.withServers(LabServer.Kind.usedByTests) { lab in
        let folder = try Folder()
        try lab.save(to: URL(filePath: folder.path))
        try await body(lab, folder)
    }
}

extension Lab {
    /// Returns the URL of another path of a server.
    func url(_ kind: LabServer.Kind, _ path: String) -> String {
        let scheme = self[kind].url.hasPrefix("https") ? "https" : "http"
        return "\(scheme)://localhost:\(self[kind].port)\(path)"
    }
}

extension Folder {
    static func names(in path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    static func overwrite(_ path: String, with text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    static func overwrite(_ path: String, with bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    static func isDevice(_ path: String) -> Bool { type(of: path) == .typeCharacterSpecial }

    func isLink(_ name: String) -> Bool { Self.type(of: file(name)) == .typeSymbolicLink }

    func setMode(_ mode: Int, of name: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file(name))
    }

    func mode(of name: String) -> Int? {
        var information = stat()
        return stat(file(name), &information) == 0 ? Int(information.st_mode & 0o777) : nil
    }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: file(name), withDestinationPath: file(target))
    }

    private static func type(of path: String) -> FileAttributeType? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
    }
}
