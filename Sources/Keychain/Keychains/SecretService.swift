// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Encodings
internal import Foundation
public import Secrets

/// The desktop's keyring (the freedesktop.org Secret Service), accessed with libsecret's program `secret-tool`.
///
/// Every program of the logged-in desktop user can read the entries.
public struct SecretService: KeyHolder {
    /// The timeout for the user to unlock the keyring.
    private static let timeout: TimeInterval = 60

    private let program: String?

    /// Creates a holder for the keyring of this session, and searches for `secret-tool` in the absolute folders of
    /// `PATH`.
    public init() {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        program = folders.lazy.map { "\($0)/secret-tool" }
            .first { $0.hasPrefix("/") && FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Returns the key in the keyring, or stores a new one; waits up to 60 seconds for the user to unlock the keyring.
    ///
    /// - Throws: ``KeychainError/noSecretService``, ``KeychainError/secretServiceFailed``, for example if the program
    ///   cannot be started, and ``KeychainError/damaged(_:)`` if the entry is not a key.
    public func key(named name: String, keeping newKey: Secret?) async throws -> Secret? {
        let attributes = ["service", "countersign-keychain", "slot", name]
        guard let newKey else {
            let found = try await run(["lookup"] + attributes, input: "")
            // If there is no entry, secret-tool fails without a message; other failures have one.
            guard found.status == 0 else {
                guard found.errorOutput.isEmpty else { throw KeychainError.secretServiceFailed }
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
        let errorOutput: Data
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
                // A key fits into the pipe's buffer, so this does not block.
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
            errorOutput: stderr.fileHandleForReading.readDataToEndOfFile())
    }
}
