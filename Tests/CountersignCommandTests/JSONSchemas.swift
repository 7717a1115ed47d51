// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

/// Checks what a command printed as JSON against its schema of `docs/schemas`, with `scripts/check-json`.
enum JSONSchemas {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Whether there are Python and its jsonschema; the reason is printed where they are not there.
    static let areChecked: Bool = {
        let isPresent = (try? run(["--schemas"], input: nil))?.status == 0
        if !isPresent {
            print("JSON output is not checked: python3 with jsonschema is missing; scripts/setup installs it")
        }
        return isPresent
    }()

    /// Records an issue where the output of a command with `--json` does not match the command's schema.
    static func check(_ output: [UInt8], of arguments: [String]) throws {
        guard arguments.contains("--json"), !output.isEmpty, areChecked, let first = arguments.first else { return }
        let groups = ["trust", "identity", "keychain"]
        let name = groups.contains(first) ? arguments.prefix(2).joined(separator: "-") : first
        let result = try run([name], input: output)
        #expect(result.status == 0, "\(arguments.joined(separator: " "))\n\(result.text)")
    }

    private static func run(_ arguments: [String], input: [UInt8]?) throws -> (status: Int32, text: String) {
        var arguments = arguments
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        if let input {
            try Data(input).write(to: file)
            arguments.append(file.path)
        }
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = root.appending(path: "scripts/check-json")
        process.arguments = arguments
        let pipe = Pipe()
        (process.standardOutput, process.standardError) = (pipe, pipe)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }
}
