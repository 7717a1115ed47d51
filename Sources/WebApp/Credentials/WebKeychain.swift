// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSupport
import Keychain
import KeychainAgent
import Secrets

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The user's keychain, as the pages use it.
///
/// The agent holds its keys, so that the command line and the pages are unlocked and locked together. Where no agent can be started, this
/// program holds them.
actor WebKeychain {
    enum State {
        case missing
        case locked
        case open(UnlockedKeychain)
    }

    /// For how long this program holds keys that are not asked for.
    private static let idleTimeout = Duration.seconds(15 * 60)

    nonisolated let path: String
    private let places: Keychain.Places
    private let agent: KeychainAgentClient
    private var held: (keys: KeyRing, end: ContinuousClock.Instant)?
    /// What waits to be confirmed.
    private var waiting: Addition?
    private var attempt: Task<UnlockedKeychain, any Error>?

    init(environment: [String: String]) {
        path =
            ConfigurationFolder.url(environment)
            .appending(path: "keychain/keychain.sqlite", directoryHint: .notDirectory).path
        places = Keychain.Places(environment: environment)
        agent = KeychainAgentClient(socket: KeychainAgent.defaultSocket(environment))
    }

    /// - Throws: `KeychainError`, `KeychainAgentError`.
    var state: State {
        get async throws {
            guard FileManager.default.fileExists(atPath: path) else { return .missing }
            let keychain = try await Keychain.open(at: path, places: places)
            if let keys = try agent.keys(for: keychain.id).flatMap(KeyRing.init) ?? heldKeys() {
                return .open(try await keychain.unlock(with: keys))
            }
            return .locked
        }
    }

    /// What its certificates mean for servers; nothing while it is locked.
    ///
    /// - Throws: `KeychainError`, `KeychainAgentError`.
    var trustSettings: TrustSettings {
        get async throws {
            guard case .open(let keychain) = try await state else { return TrustSettings() }
            return try await keychain.trustSettings
        }
    }

    /// Makes the keychain, and unlocks it.
    ///
    /// - Throws: `KeychainError`.
    func create(_ passphrase: Secret) async throws {
        await hold(try await Keychain.create(at: path, passphrase: passphrase, places: places))
    }

    /// Unlocks the keychain.
    ///
    /// One passphrase is tried at a time, so that guesses do not run beside each other.
    ///
    /// - Throws: `KeychainError`.
    func unlock(_ passphrase: Secret) async throws {
        let earlier = attempt
        let task = Task { [path, places] in
            _ = await earlier?.result
            return try await Keychain.open(at: path, places: places).unlock(with: .passphrase(passphrase))
        }
        attempt = task
        // It would keep the keys.
        defer { if attempt == task { attempt = nil } }
        await hold(try await task.value)
    }

    /// Forgets the keys, in the agent too.
    ///
    /// - Throws: `KeychainError`, `KeychainAgentError`.
    func lock() async throws {
        (held, waiting) = (nil, nil)
        try agent.lock(try await Keychain.open(at: path, places: places).id)
    }

    // MARK: What is to be confirmed

    /// Keeps an addition, in the place of an earlier one.
    func wait(for addition: Addition) { waiting = addition }

    /// - Throws: ``CredentialsError/additionGone``.
    func addition(named name: String?) throws(CredentialsError) -> Addition {
        guard let waiting, waiting.name == name else { throw .additionGone }
        return waiting
    }

    /// The addition, which waits no more, for a form that names the fingerprints that were shown.
    ///
    /// - Throws: ``CredentialsError/additionGone``, ``CredentialsError/otherFingerprints``.
    func takeAddition(
        named name: String?, confirming fingerprints: String?
    ) throws(CredentialsError) -> Addition {
        let addition = try addition(named: name)
        guard addition.fingerprints == fingerprints else { throw .otherFingerprints }
        waiting = nil
        return addition
    }

    // MARK: Keys

    private func hold(_ keychain: UnlockedKeychain) async {
        if let program = ExternalCommands.installed().path(of: "keychain") {
            do {
                return try await agent.hold(
                    keychain.keys.agentKeys, for: keychain.keychain.id,
                    startingAgentWith: [program, "agent", agent.socket])
            } catch {
                // The pages work without an agent.
            }
        }
        held = (keychain.keys, ContinuousClock.now + Self.idleTimeout)
    }

    private func heldKeys() -> KeyRing? {
        guard let keys = held?.keys, let end = held?.end, end > ContinuousClock.now else {
            held = nil
            return nil
        }
        held = (keys, ContinuousClock.now + Self.idleTimeout)
        return keys
    }
}
