// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import TestServer
import Testing

/// Returns whether all programs are on the PATH.
func isInstalled(_ names: String...) -> Bool {
    names.allSatisfy { name in
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }
}

/// Shell scripts in which each step that fails ends with a different status.
enum Script {
    /// A command that prints a free port, so that a script can use the number before a server listens.
    static let free = """
        free() { PYTHONPATH="$SCRIPTS" python3 -c 'import loopback; print(loopback.free_ports(["port"])["port"])'; }

        """

    /// Runs a script in a new folder, which is also its HOME, and expects the status 0.
    ///
    /// `free` in the script prints a free port.
    ///
    /// - Returns: The text that the script wrote to its standard error.
    @discardableResult
    static func succeeds(_ script: String, _ variables: [String: String] = [:]) async throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "script-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["sh", "-c", free + script]
        process.currentDirectoryURL = folder
        let products = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        process.environment = variables.merging([
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "HOME": folder.path, "PRODUCTS": products.path,
            "COUNTERSIGN_HOME": folder.appending(path: "home").path,
            "SCRIPTS": URL(filePath: #filePath).appending(path: "../../../../scripts/bench").standardized.path,
        ]) { given, _ in given }
        let complaints = folder.appending(path: "script.log")
        try Data().write(to: complaints)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let errors = try FileHandle(forWritingTo: complaints)
        process.standardError = errors
        // Foundation keeps an ended process with its files.
        defer { try? errors.close() }
        let status = try await process.end()
        let words = String(decoding: try Data(contentsOf: complaints), as: UTF8.self)
        #expect(status == 0, "\(words)")
        return words
    }
}
