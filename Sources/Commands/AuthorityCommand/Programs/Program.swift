// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation

/// Another program, which has this one's terminal.
enum Program {
    /// Runs it until it ends.
    ///
    /// - Parameters:
    ///   - command: Its path, or its name to be looked for in PATH, and its arguments.
    ///   - environment: Variables that it has besides this program's.
    /// - Returns: Its exit status.
    /// - Throws: Where it cannot be started.
    static func run(_ command: [String], environment: [String: String] = [:]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
