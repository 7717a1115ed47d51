// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import TestServer
import Testing

/// Checks what a command printed as JSON against its schema of `docs/reference/schemas`, with `scripts/check/json`.
enum JSONSchemas {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Whether there are Python and its jsonschema; the reason is printed where they are not there.
    private static let checking = Task {
        let isPresent = (try? await run(["--schemas"], input: nil))?.status == 0
        if !isPresent {
            print("JSON output is not checked: python3 with jsonschema is missing; scripts/make/setup installs it")
        }
        return isPresent
    }

    /// Records an issue where the output of a command with `--json` does not match the command's schema.
    static func check(_ output: [UInt8], of arguments: [String]) async throws {
        guard arguments.contains("--json"), !output.isEmpty, let first = arguments.first, await checking.value else {
            return
        }
        let groups = ["trust", "identity", "keychain", "ca"]
        let name = groups.contains(first) ? arguments.prefix(2).joined(separator: "-") : first
        let result = try await run([name], input: output)
        #expect(result.status == 0, "\(arguments.joined(separator: " "))\n\(result.text)")
    }

    private static func run(_ arguments: [String], input: [UInt8]?) async throws -> (status: Int32, text: String) {
        var arguments = arguments
        let folder = try Folder()
        if let input {
            try Data(input).write(to: URL(filePath: folder.file("input")))
            arguments.append(folder.file("input"))
        }
        let process = Process()
        process.executableURL = root.appending(path: "scripts/check/json")
        process.arguments = arguments
        _ = try folder.write("", to: "output")
        let output = FileHandle(forWritingAtPath: folder.file("output"))
        (process.standardOutput, process.standardError) = (output, output)
        process.standardInput = FileHandle.nullDevice
        let status = try await process.end()
        return (status, String(decoding: folder.contents(of: "output") ?? [], as: UTF8.self))
    }
}
