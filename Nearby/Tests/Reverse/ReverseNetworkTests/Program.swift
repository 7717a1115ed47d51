// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation

/// A program that runs until it terminates.
struct Program {
    let status: Int32
    let output: String

    static let folders = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"]

    static func path(of name: String) -> String? {
        folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// The path of the `countersign-reverse` program of this build.
    static let countersignReverse = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "countersign-reverse").path

    static func run(_ name: String, _ arguments: [String], input: String? = nil) throws -> Program {
        let process = Process()
        let (output, text) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: name.hasPrefix("/") ? name : path(of: name) ?? "/nonexistent/\(name)")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = output
        process.standardInput = input == nil ? FileHandle.nullDevice : text
        try process.run()
        if let input {
            try text.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try text.fileHandleForWriting.close()
        }
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Program(status: process.terminationStatus, output: String(decoding: bytes, as: UTF8.self))
    }
}
