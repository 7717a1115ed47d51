// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import ErrorExplanations
import EssentialFoundation
import Keychains
import KeychainAgents
import Secrets

/// The secret that unlocks the keychain.
enum KeychainPassphrase: SecretPurpose {
    static let option = "passphrase"
    static let subject = "the keychain's passphrase, or the secret that --unlock-with names"
}

/// The options that select and unlock the keychain.
struct KeychainOptions: ParsableArguments {
    enum Key: String, ExpressibleByArgument, CaseIterable {
        case passphrase, pin
        case recoveryCode = "recovery-code"
        case desktop
    }

    /// The maximum number of times that the user is asked.
    private static let attempts = 3

    @OptionGroup
    var place: KeychainLocation

    @Option(
        help: ArgumentHelp(
            "The method to unlock the keychain.",
            discussion: "By default, passphrase. desktop is a key that the desktop's keyring stores (Secret Service).",
            valueName: "key"))
    var unlockWith: Key?

    @Option(help: ArgumentHelp("A file of random bytes that unlocks the keychain.", valueName: "file"))
    var keyFile: String?

    @OptionGroup
    var secret: SecretOptions<KeychainPassphrase>

    @Flag(help: "Open a copy that is older than the keychain opened last, such as a backup.")
    var acceptOlderState = false

    /// Whether the command line says how to unlock, so that the agent is not asked.
    private var isExplicit: Bool { unlockWith != nil || keyFile != nil || secret.isGiven || acceptOlderState }

    /// Returns the keychain, unlocked by the agent's keys or by the options.
    ///
    /// If the user had to be asked, an agent holds the keys from then on.
    ///
    /// - Parameters:
    ///   - console: The console.
    ///   - isForRepair: Whether the keychain may have a damaged header.
    /// - Returns: The keychain with its keys.
    /// - Throws: `KeychainError`, `KeychainAgentError`, ``KeychainCommandError`` and ``UsageError``.
    func unlocked(on console: Console, forRepair isForRepair: Bool = false) async throws -> UnlockedKeychain {
        var keychain = try await place.open(console)
        if isForRepair { keychain = keychain.forRepair }
        let agent = place.agent(console)
        if !isExplicit, let keys = try agent.keys(for: keychain.id).flatMap(KeyRing.init) {
            return try await keychain.unlock(with: keys)
        }
        let unlocked = try await unlock(keychain, on: console)
        if !isExplicit { try await place.hold(unlocked, AgentLifetime(), on: console) }
        return unlocked
    }

    /// Unlocks the keychain without the agent, so that its keys can be changed.
    func unlockedWithoutAgent(on console: Console) async throws -> UnlockedKeychain {
        try await unlock(try await place.open(console), on: console)
    }

    private func unlock(_ keychain: Keychain, on console: Console) async throws -> UnlockedKeychain {
        try secret.checkContradictions()
        if let keyFile {
            guard !secret.isGiven else { throw UsageError.contradiction("--key-file", secret.name) }
            guard unlockWith == nil else { throw UsageError.contradiction("--key-file", "--unlock-with") }
            let key = Secret(utf8: try InputFile.read(keyFile))
            return try await keychain.unlock(with: .keyFile(key), acceptingOlderState: acceptOlderState)
        }
        let kind = unlockWith ?? .passphrase
        if kind == .desktop {
            return try await keychain.unlock(with: .holder(SecretService()), acceptingOlderState: acceptOlderState)
        }
        if let given = try secret.read(console.environment) {
            return try await keychain.unlock(with: try kind.method(given), acceptingOlderState: acceptOlderState)
        }
        guard let prompter = console.prompter else { throw KeychainCommandError.locked }
        for attempt in 1...Self.attempts {
            guard let answer = await prompter.ask("\(kind.question): ", isSecret: true), !answer.isEmpty else { break }
            do {
                return try await keychain.unlock(
                    with: try kind.method(Secret(answer)), acceptingOlderState: acceptOlderState)
            } catch let error as KeychainError
                where attempt < Self.attempts && [.wrongPassphrase, .malformedRecoveryCode].contains(error)
            {
                console.printError(error.explanation.message)
            }
        }
        throw KeychainError.wrongPassphrase
    }
}

extension KeychainOptions.Key {
    fileprivate var question: String {
        switch self {
        case .passphrase, .desktop: "Passphrase of the keychain"
        case .pin: "PIN of the keychain"
        case .recoveryCode: "Recovery code of the keychain"
        }
    }

    fileprivate func method(_ secret: Secret) throws -> UnlockMethod {
        switch self {
        case .passphrase, .desktop: .passphrase(secret)
        case .pin: .pin(secret)
        case .recoveryCode: .recoveryCode(try RecoveryCode(secret))
        }
    }
}

/// The option that selects the keychain, and its agent.
struct KeychainLocation: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The keychain's file.",
            discussion: "Without it, keychain/keychain.sqlite in the configuration folder (COUNTERSIGN_HOME).",
            valueName: "file"))
    var keychain: String?

    func path(_ environment: [String: String]) -> String {
        keychain
            ?? ConfigurationFolder.url(environment).appending(
                path: "keychain/keychain.sqlite", directoryHint: .notDirectory
            )
            .path
    }

    func places(_ console: Console) -> Keychain.Places { Keychain.Places(environment: console.environment) }

    func open(_ console: Console) async throws -> Keychain {
        try await Keychain.open(at: path(console.environment), places: places(console))
    }

    func agent(_ console: Console) -> KeychainAgentClient {
        KeychainAgentClient(socket: KeychainAgent.defaultSocket(console.environment))
    }

    /// Passes the keys of a keychain to the agent, and starts the agent if none is running.
    func hold(_ keychain: UnlockedKeychain, _ lifetime: AgentLifetime, on console: Console) async throws {
        let client = agent(console)
        try await client.hold(
            keychain.keys.agentKeys, for: keychain.keychain.id, lifetime: lifetime,
            startingAgentWith: [ExecutablePath.current ?? "countersign-keychain", "agent", client.socket.path])
    }
}

/// `countersign keychain agent SOCKET`, which the other commands start.
struct AgentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent", abstract: "Hold the keys of unlocked keychains.", shouldDisplay: false)

    @Argument
    var socket: String

    func run() throws {
        // The standard streams of the agent are closed, so an error could not be printed.
        try? KeychainAgent.serve(socket: URL(filePath: socket))
    }
}
