// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust
package import Challenges
package import CommandSupport
import Countersign
import Dispatch
package import ErrorExplanations
import EssentialFoundation
package import Identities

/// The keychain, accessed through the program `countersign-keychain`, which is started on first use.
package actor KeychainClient {
    private let path: String?
    private var program: ChildProgram?
    private let executor = QueueExecutor()

    /// A request blocks while the user types, so the actor runs on a separate thread.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter path: The path of the keychain; `nil` for the default.
    package init(path: String?) { self.path = path }

    package var trustSettings: TrustSettings {
        get throws {
            guard case .trustSettings(let entries) = try ask(.trustSettings) else {
                throw KeychainClientError.otherAnswer
            }
            return TrustSettings(try entries.map { try $0.entry() })
        }
    }

    package var identities: [IdentityChoice.Candidate] {
        get throws {
            guard case .identities(let candidates) = try ask(.identities) else { throw KeychainClientError.otherAnswer }
            return try candidates.map { try $0.candidate() }
        }
    }

    /// Returns the identity with a label, or `nil` if there is none.
    package func identity(labelled label: String) throws -> Identity? {
        guard case .identities(let candidates) = try ask(.identity(label: label)) else {
            throw KeychainClientError.otherAnswer
        }
        return try candidates.first?.candidate().identity
    }

    /// Saves an identity under a label.
    package func save(_ identity: Identity, label: String) throws {
        _ = try ask(.saveIdentity(.init(.init(identity)), label: label))
    }

    private func ask(_ request: KeychainRequest) throws -> KeychainResponse {
        let program = try started()
        let line = Array(try JSONEncoder().encode(request))
        guard let answer = try program.answer(to: line) else { throw KeychainClientError.ended }
        guard let response = try? JSONDecoder().decode(KeychainResponse.self, from: Data(answer)) else {
            throw KeychainClientError.otherAnswer
        }
        if case .failure(let code, let message, let reason, let advice, let kind) = response {
            throw KeychainClientError.keychain(
                ErrorExplanation(kind ?? .failed, code, message, reason: reason, advice: advice))
        }
        return response
    }

    private func started() throws -> ChildProgram {
        if let program { return program }
        guard let executable = ExternalCommands.installed().path(of: "keychain") else {
            throw KeychainClientError.notInstalled
        }
        let new = try ChildProgram([executable, "serve"] + (path.map { ["--keychain", $0] } ?? []))
        program = new
        return new
    }
}

extension KeychainClient: CredentialStore {
    package func read(for space: ProtectionSpace) throws -> Credential? {
        guard case .login(let login) = try ask(.read(.init(space))) else { throw KeychainClientError.otherAnswer }
        return login?.credential
    }

    package func save(_ credential: Credential, for space: ProtectionSpace) throws {
        guard let login = KeychainRequest.Login(credential) else { return }
        _ = try ask(.save(.init(space), login))
    }

    package func remove(for space: ProtectionSpace) throws { _ = try ask(.remove(.init(space))) }
}

/// Runs an actor on a separate queue.
private final class QueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "keychain")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

/// An error of the keychain program.
package enum KeychainClientError: Error {
    /// The keychain program is missing.
    case notInstalled
    /// The program exited before it answered.
    case ended
    /// The program sent a response of another type.
    case otherAnswer
    /// The keychain's own error.
    case keychain(ErrorExplanation)
}

extension KeychainClientError: CataloguedError {
    package var explanation: ErrorExplanation {
        switch self {
        case .notInstalled:
            ErrorExplanation(
                "keychain.not-installed", "The program countersign-keychain was not found.",
                reason: "It reads the keychain for --keychain, and must be in the folder of countersign or in PATH.",
                advice: "Build or install it.")
        case .ended:
            ErrorExplanation(
                "keychain.ended", "The program countersign-keychain ended before it answered.",
                reason: "It was ended from outside, or failed.", advice: "Try 'countersign keychain status'.")
        case .otherAnswer:
            ErrorExplanation(
                "keychain.other-answer", "The program countersign-keychain sent an unexpected response.",
                reason: "It is of another version. What the keychain says of servers and logins is not known.",
                advice: "Install both programs in the same version.")
        case .keychain(let explanation): explanation
        }
    }

    package static var examples: [KeychainClientError] { [.notInstalled, .ended, .otherAnswer] }
}

extension ErrorOptions {
    /// The options and commands for the errors of a keychain.
    package static let keychain: ErrorOptions = [
        "keychain.not-found": ["Command: 'countersign keychain init'.", "Option: --keychain FILE."],
        "keychain.damaged": ["Command: 'countersign keychain repair'."],
        "keychain.damaged-item": ["Command: 'countersign keychain repair'."],
        "keychain.rolled-back": ["--accept-older-state"],
        "keychain.wrong-passphrase": ["--unlock-with"],
        "keychain.unlock-needed": ["Command: 'countersign keychain unlock'."],
        "keychain.root-key-needed": ["--passphrase-file"],
        "keychain.no-slot": ["Command: 'countersign keychain add-slot'."],
        "keychain.short-pin": ["--allow-short-pin"],
        "keychain.item-exists": ["--replace"],
        "keychain.no-item": ["Command: 'countersign keychain find'."],
    ]
}
