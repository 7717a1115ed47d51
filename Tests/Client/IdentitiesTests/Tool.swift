// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import TestServer
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#endif
import Foundation

/// A third-party program that reads and writes the same file formats.
enum Tool: String, CaseIterable, Sendable {
    case openssl, keytool, certtool

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The path of the program, or `nil`, with a printed message, if it is not installed.
    var path: String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let path = folders.map { "\($0)/\(rawValue)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
        if path == nil { print("Skipped: \(rawValue) is not installed") }
        return path
    }

    /// The options with which Java starts in half the time, because it compiles little.
    private var options: [String] { self == .keytool ? ["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"] : [] }

    /// Runs the program in a folder, in which the file "output" receives its output.
    ///
    /// - Returns: `false` if the program is not installed.
    func run(_ arguments: [String], in folder: Folder) async throws -> Bool {
        guard let path else { return false }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments + options
        process.currentDirectoryURL = URL(filePath: folder.path)
        process.standardInput = FileHandle.nullDevice
        try folder.write([], to: "output")
        let output = FileHandle(forWritingAtPath: folder.path + "/output")
        process.standardOutput = output
        process.standardError = output
        // Foundation keeps an ended process with its files.
        defer { try? output?.close() }
        guard try await process.end() == 0 else {
            let text = String(decoding: folder["output"], as: UTF8.self)
            throw Failure(description: "\(rawValue) \(arguments.joined(separator: " ")): \(text)")
        }
        return true
    }
}

/// A folder for one test, which is removed on deinitialization.
final class Folder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/identities-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    subscript(name: String) -> [UInt8] {
        Array((try? Data(contentsOf: URL(filePath: path + "/" + name))) ?? Data())
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(filePath: path + "/" + name))
    }
}
