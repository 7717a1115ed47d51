// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Dispatch
import Foundation
import TestServer
import Testing

/// A check of a command's JSON output against its schema in `docs/reference/schemas`, with `scripts/check/json`.
enum JSONSchemas {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The checker, if Python and its package jsonschema are installed; otherwise the reason is printed.
    private static let checker = Task { () -> JSONChecker? in
        if (try? await run("--schemas").end()) == 0 { return try JSONChecker(run("--serve")) }
        print("JSON output is not checked: python3 with jsonschema is missing; scripts/make/setup installs it")
        return nil
    }

    /// Records an issue if the output of a command with `--json` does not match the command's schema.
    static func check(_ output: [UInt8], of arguments: [String]) async throws {
        guard arguments.contains("--json"), !output.isEmpty, let first = arguments.first,
            let checker = try await checker.value
        else { return }
        let groups = ["trust", "identity", "keychain", "ca"]
        let name = groups.contains(first) ? arguments.prefix(2).joined(separator: "-") : first
        let folder = try Folder()
        defer { withExtendedLifetime(folder) {} }
        try Data(output).write(to: URL(filePath: folder.file("input")))
        let problems = try await checker.problems(of: folder.file("input"), schema: name)
        #expect(problems.isEmpty, "\(arguments.joined(separator: " "))\n\(problems.joined(separator: "\n"))")
    }

    private static func run(_ argument: String) -> Process {
        let process = Process()
        process.executableURL = root.appending(path: "scripts/check/json")
        process.arguments = [argument]
        process.standardInput = FileHandle.nullDevice
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        return process
    }
}

/// A single process of `scripts/check/json` for all checks, because Python starts more slowly than it checks.
private final class JSONChecker: Sendable {
    private struct Ended: Error {}

    /// The queue on which the checks wait for the process, one after another.
    private let queue = DispatchQueue(label: "JSON schemas")
    private let (input, output) = (Pipe(), Pipe())

    init(_ process: Process) throws {
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
    }

    /// Returns the schema violations of the values in a file.
    func problems(of file: String, schema: String) async throws -> [String] {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(with: Result { try self.answer("\(schema)\t\(file)\n") })
            }
        }
    }

    private func answer(_ question: String) throws -> [String] {
        try input.fileHandleForWriting.write(contentsOf: Data(question.utf8))
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let part = output.fileHandleForReading.availableData
            guard !part.isEmpty else { throw Ended() }
            line += part
        }
        return try JSONDecoder().decode([String].self, from: line)
    }
}
