// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Encodings
internal import Foundation
public import Secrets

/// The keyring of the desktop (the Secret Service of freedesktop.org), by libsecret's program `secret-tool`.
///
/// Every program of the user who is logged in at the desktop can read its entries.
public struct SecretService: KeyHolder {
    /// How long a person has to unlock the keyring.
    private static let timeout: TimeInterval = 60

    private let program: String?

    /// Makes a holder for the keyring of this session; it looks for `secret-tool` in the absolute folders of `PATH`.
    public init() {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        program = folders.lazy.map { "\($0)/secret-tool" }
            .first { $0.hasPrefix("/") && FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Reads the key that the keyring keeps, or keeps a new one in its place; waits up to 60 seconds for a person to unlock the keyring.
    ///
    /// - Throws: ``KeychainError/noSecretService``, ``KeychainError/secretServiceFailed`` also where the program cannot be started, and
    ///   ``KeychainError/damaged(_:)`` where the entry is no key.
    public func key(named name: String, keeping newKey: Secret?) async throws -> Secret? {
        let attributes = ["service", "countersign-keychain", "slot", name]
        guard let newKey else {
            let found = try await run(["lookup"] + attributes, input: "")
            // secret-tool says nothing and fails where there is nothing, and explains every other failure.
            guard found.status == 0 else {
                guard found.complaint.isEmpty else { throw KeychainError.secretServiceFailed }
                return nil
            }
            guard let key = Base64.decode(found.output) else { throw KeychainError.damaged(.keyFile) }
            return Secret(utf8: key)
        }
        let text = newKey.withUnsafeBytes { Base64.encode($0) }
        let stored = try await run(["store", "--label=Countersign keychain"] + attributes, input: text)
        guard stored.status == 0 else { throw KeychainError.secretServiceFailed }
        return newKey
    }

    private struct Outcome {
        let status: Int32
        let output: Data
        let complaint: Data
    }

    private func run(_ arguments: [String], input: String) async throws -> Outcome {
        guard let program else { throw KeychainError.noSecretService }
        let (process, stdin, stdout, stderr) = (Process(), Pipe(), Pipe(), Pipe())
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        (process.standardInput, process.standardOutput, process.standardError) = (stdin, stdout, stderr)
        let status = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
                // A key is shorter than a pipe, so this does not wait.
                try? stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
                try? stdin.fileHandleForWriting.close()
                let identifier = process.processIdentifier
                DispatchQueue.global().asyncAfter(deadline: .now() + Self.timeout) {
                    if process.isRunning { kill(identifier, SIGTERM) }
                }
            } catch {
                continuation.resume(throwing: KeychainError.secretServiceFailed)
            }
        }
        return Outcome(
            status: status, output: stdout.fileHandleForReading.readDataToEndOfFile(),
            complaint: stderr.fileHandleForReading.readDataToEndOfFile())
    }
}
