// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import EssentialFoundation
import Keychains
import KeychainAgents
import Secrets

/// The user's keychain, as the pages use it.
///
/// The agent holds its keys, so that the command line and the pages share the unlocked state. If no agent can be
/// started, this program holds the keys.
actor WebKeychain {
    enum State {
        case missing
        case locked
        case open(UnlockedKeychain)
    }

    /// The lifetime of keys in the agent, as long as the longest idle time after which the pages lock the keychain.
    private static let agentLifetime = AgentLifetime(unlockPeriod: .seconds(3600))
    /// The time for which this program holds unused keys.
    private static let keyLifetime = Duration.seconds(15 * 60)

    nonisolated let path: String
    private let places: Keychain.Places
    private let agent: KeychainAgentClient
    private var held: (id: KeychainID, keys: KeyRing, end: ContinuousClock.Instant)?
    /// The keychains that were opened; an agent may hold their keys even if the file was removed or replaced.
    private var opened: Set<KeychainID> = []
    /// The import that awaits confirmation.
    private var waiting: PendingImport?
    private var pictures = Uploads<ScaledPicture>(limit: 4)
    /// The paths of uploaded sealed files.
    private var sealedFiles = Uploads<String>(limit: 2)
    private var drafts = Uploads<PresentDraft>(limit: 4)
    /// The number of locks, so that an operation that began before a lock does not continue after it.
    private(set) var lockCount = 0
    private var idleTimer: Task<Void, Never>?
    /// The last of the pending guesses and slot changes, which wait for each other.
    private var lastTask: Task<Void, Never>?

    init(environment: [String: String]) {
        path =
            ConfigurationFolder.url(environment)
            .appending(path: "keychain/keychain.sqlite", directoryHint: .notDirectory).path
        places = Keychain.Places(environment: environment)
        agent = KeychainAgentClient(socket: KeychainAgent.defaultSocket(environment))
    }

    /// The current state.
    ///
    /// - Throws: `KeychainError`, `KeychainAgentError`.
    var state: State {
        get async throws {
            guard let keychain = try await file else { return .missing }
            if let keys = try agent.keys(for: keychain.id).flatMap(KeyRing.init) ?? heldKeys(for: keychain.id) {
                return .open(try await keychain.unlock(with: keys))
            }
            return .locked
        }
    }

    /// The keychain file; `nil` if there is none.
    ///
    /// - Throws: `KeychainError`, including for an existing file that cannot be read.
    private var file: Keychain? {
        get async throws {
            do {
                let keychain = try await Keychain.open(at: path, places: places)
                opened.insert(keychain.id)
                return keychain
            } catch KeychainError.notFound {
                return nil
            }
        }
    }

    /// Records a use of the keychain, which is locked when no page uses it within the idle limit.
    func recordUse(idleLimit: Duration) {
        idleTimer?.cancel()
        idleTimer = Task {
            try? await Task.sleep(for: idleLimit, clock: .continuous)
            // A use may have been recorded between the end of the sleep and this check.
            guard !Task.isCancelled else { return }
            try? await lockNow()
        }
    }

    /// The key slots; `nil` if there is no keychain.
    ///
    /// - Throws: `KeychainError`.
    var slots: [KeySlot]? {
        get async throws { try await file?.slots }
    }

    /// Creates the keychain, and unlocks it.
    ///
    /// - Parameters:
    ///   - passphrase: The passphrase.
    ///   - pin: The PIN, which unlocks the keychain on this computer only.
    /// - Throws: `KeychainError`; nothing is created if the PIN is too short.
    func create(_ passphrase: Secret, pin: Secret?) async throws {
        if let pin { try UnlockMethod.pin(pin).check(PINPolicy()) }
        let keychain = try await Keychain.create(at: path, passphrase: passphrase, places: places)
        if let pin { try await keychain.addSlot(.pin(pin)) }
        await hold(keychain)
    }

    /// Unlocks the keychain.
    ///
    /// - Throws: `KeychainError`.
    func unlock(_ method: UnlockMethod) async throws {
        let start = lockCount
        let keychain = try await runSerially { [path, places] in
            try await Keychain.open(at: path, places: places).unlock(with: method)
        }
        guard lockCount == start else { throw KeychainError.unlockNeeded }
        await hold(keychain)
    }

    /// Runs guesses and slot changes one after the other.
    private func runSerially<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let earlier = lastTask
        let task = Task {
            await earlier?.value
            return try await body()
        }
        let completion = Task { _ = await task.result }
        lastTask = completion
        // A finished task would retain the keys.
        defer { if lastTask == completion { lastTask = nil } }
        return try await task.value
    }

    /// Changes the key slots.
    ///
    /// - Parameters:
    ///   - passphrase: The passphrase, which opens the root key that an agent does not have.
    ///   - body: Changes the slots.
    /// - Throws: `KeychainError`, and errors of the closure.
    func changeSlots(
        _ passphrase: Secret, _ body: @escaping @Sendable (UnlockedKeychain) async throws -> Void
    ) async throws {
        try await runSerially { [path, places] in
            try await body(try await Keychain.open(at: path, places: places).unlock(with: .passphrase(passphrase)))
        }
    }

    /// Discards the keys, including those in the agent.
    ///
    /// - Throws: `KeychainError`, `KeychainAgentError`.
    func lock() async throws {
        idleTimer?.cancel()
        try await lockNow()
    }

    /// Locks the keychain without cancelling the idle timer, which calls this function itself.
    private func lockNow() async throws {
        lockCount += 1
        idleTimer = nil
        (held, waiting) = (nil, nil)
        _ = pictures.removeAll()
        for file in sealedFiles.removeAll() { try? FileManager.default.removeItem(atPath: file) }
        _ = try? await file
        for id in opened { try agent.lock(id) }
        opened = []
    }

    // MARK: Additions

    /// Stores an import until it is confirmed, and discards an earlier one.
    func wait(for pendingImport: PendingImport) { waiting = pendingImport }

    /// - Throws: ``CredentialsError/importExpired``.
    func pendingImport(named name: String?) throws(CredentialsError) -> PendingImport {
        guard let waiting, waiting.name == name else { throw .importExpired }
        return waiting
    }

    /// Removes and returns the pending import, for a form that contains the displayed fingerprints.
    ///
    /// - Throws: ``CredentialsError/importExpired``, ``CredentialsError/otherFingerprints``.
    func takePendingImport(
        named name: String?, confirming fingerprints: String?
    ) throws(CredentialsError) -> PendingImport {
        let pendingImport = try pendingImport(named: name)
        guard pendingImport.fingerprints == fingerprints else { throw .otherFingerprints }
        waiting = nil
        return pendingImport
    }

    // MARK: Uploads

    /// Stores a picture for its form.
    ///
    /// - Parameters:
    ///   - picture: The picture.
    ///   - count: The ``lockCount`` when the picture arrived; `nil` for a picture that is not a secret of the keychain.
    /// - Returns: The name that identifies the picture in the form.
    /// - Throws: `KeychainError.unlockNeeded` if the keychain was locked since.
    func keep(_ picture: ScaledPicture, since count: Int?) throws(KeychainError) -> String {
        guard count == nil || lockCount == count else { throw .unlockNeeded }
        return pictures.keep(picture).name
    }

    /// Stores the fields of a form that could not be processed because the keychain is locked.
    func keep(_ draft: PresentDraft) -> String { drafts.keep(draft).name }

    /// Removes and returns the stored fields.
    func takeDraft(named name: String?) -> PresentDraft? {
        defer { drafts.remove(name) }
        return drafts[name]
    }

    /// - Throws: ``PresentError/uploadExpired``.
    func picture(named name: String?) throws(PresentError) -> ScaledPicture {
        guard let picture = pictures[name] else { throw .uploadExpired }
        return picture
    }

    func forgetPicture(_ name: String?) { pictures.remove(name) }

    /// Takes ownership of a file, which is removed when it is no longer needed.
    func keep(sealedFile path: String) -> String {
        let (name, dropped) = sealedFiles.keep(path)
        for file in dropped { try? FileManager.default.removeItem(atPath: file) }
        return name
    }

    /// - Throws: ``PresentError/uploadExpired``.
    func sealedFile(named name: String?) throws(PresentError) -> String {
        guard let path = sealedFiles[name] else { throw .uploadExpired }
        return path
    }

    func forgetSealedFile(_ name: String?) {
        guard let path = sealedFiles[name] else { return }
        sealedFiles.remove(name)
        try? FileManager.default.removeItem(atPath: path)
    }

    // MARK: Keys

    private func hold(_ keychain: UnlockedKeychain) async {
        if let program = ExternalCommands.installed().path(of: "keychain") {
            do {
                return try await agent.hold(
                    keychain.keys.agentKeys, for: keychain.keychain.id,
                    lifetime: Self.agentLifetime, startingAgentWith: [program, "agent", agent.socket.path])
            } catch {
                // The pages work without an agent.
            }
        }
        held = (keychain.keychain.id, keychain.keys, ContinuousClock.now + Self.keyLifetime)
    }

    private func heldKeys(for id: KeychainID) -> KeyRing? {
        guard let held, held.id == id, held.end > ContinuousClock.now else {
            held = nil
            return nil
        }
        self.held = (id, held.keys, ContinuousClock.now + Self.keyLifetime)
        return held.keys
    }
}

/// Uploads that wait for their form; above the limit, the oldest entry is discarded.
struct Uploads<Value: Sendable>: Sendable {
    private var values: [(name: String, value: Value)] = []
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// - Returns: A random name for the form, and the discarded values.
    mutating func keep(_ value: Value) -> (name: String, dropped: [Value]) {
        let name = BrowserAccess.randomText()
        values.append((name, value))
        let count = max(0, values.count - limit)
        defer { values.removeFirst(count) }
        return (name, values.prefix(count).map(\.value))
    }

    subscript(name: String?) -> Value? { values.first { $0.name == name }?.value }

    /// - Returns: The removed values.
    mutating func removeAll() -> [Value] {
        defer { values = [] }
        return values.map(\.value)
    }

    mutating func remove(_ name: String?) { values.removeAll { $0.name == name } }
}
