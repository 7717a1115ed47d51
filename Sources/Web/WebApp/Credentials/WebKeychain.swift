// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import EssentialFoundation
import Keychain
import KeychainAgent
import Secrets

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

    /// As long as the longest time without use after which the pages lock it.
    private static let agentLifetime = AgentLifetime(unlockPeriod: .seconds(3600))
    /// For how long this program holds keys that are not asked for.
    private static let keyLifetime = Duration.seconds(15 * 60)

    nonisolated let path: String
    private let places: Keychain.Places
    private let agent: KeychainAgentClient
    private var held: (id: KeychainID, keys: KeyRing, end: ContinuousClock.Instant)?
    /// The keychains that were opened, of which an agent may hold keys though the file is gone or another one.
    private var opened: Set<KeychainID> = []
    /// What waits to be confirmed.
    private var waiting: Addition?
    private var pictures = Uploads<ScaledPicture>(limit: 4)
    /// The paths of sealed files.
    private var sealedFiles = Uploads<String>(limit: 2)
    private var drafts = Uploads<PresentDraft>(limit: 4)
    /// Grows with each lock, so that what began before one does not go on after it.
    private(set) var lockCount = 0
    private var idleTimer: Task<Void, Never>?
    /// The last of the guesses and changes that wait for each other.
    private var turn: Task<Void, Never>?

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
            guard let keychain = try await file else { return .missing }
            if let keys = try agent.keys(for: keychain.id).flatMap(KeyRing.init) ?? heldKeys(for: keychain.id) {
                return .open(try await keychain.unlock(with: keys))
            }
            return .locked
        }
    }

    /// The file; `nil` where there is none.
    ///
    /// - Throws: `KeychainError`, also for a file that is there and cannot be reached.
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

    /// Notes that a page uses it: it is locked when none does for as long as said.
    func noteUse(idleLimit: Duration) {
        idleTimer?.cancel()
        idleTimer = Task {
            try? await Task.sleep(for: idleLimit, clock: .continuous)
            // A use may have been noted after the sleep, before this goes on.
            guard !Task.isCancelled else { return }
            try? await lockNow()
        }
    }

    /// The ways to unlock it; `nil` where there is no keychain.
    ///
    /// - Throws: `KeychainError`.
    var slots: [KeySlot]? {
        get async throws { try await file?.slots }
    }

    /// Makes the keychain, and unlocks it.
    ///
    /// - Parameters:
    ///   - passphrase: What opens it.
    ///   - pin: What opens it on this computer too.
    /// - Throws: `KeychainError`; nothing is made where the PIN is too short.
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
        let keychain = try await inTurn { [path, places] in
            try await Keychain.open(at: path, places: places).unlock(with: method)
        }
        guard lockCount == start else { throw KeychainError.unlockNeeded }
        await hold(keychain)
    }

    /// Runs guesses, and what changes the ways in, one after the other.
    private func inTurn<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let earlier = turn
        let task = Task {
            await earlier?.value
            return try await body()
        }
        let ending = Task { _ = await task.result }
        turn = ending
        // It would keep the keys.
        defer { if turn == ending { turn = nil } }
        return try await task.value
    }

    /// Changes what unlocks it.
    ///
    /// - Parameters:
    ///   - passphrase: What opens it with its root key, which an agent does not have.
    ///   - body: What changes.
    /// - Throws: `KeychainError`, and what the closure throws.
    func changeSlots(
        _ passphrase: Secret, _ body: @escaping @Sendable (UnlockedKeychain) async throws -> Void
    ) async throws {
        try await inTurn { [path, places] in
            try await body(try await Keychain.open(at: path, places: places).unlock(with: .passphrase(passphrase)))
        }
    }

    /// Forgets the keys, in the agent too.
    ///
    /// - Throws: `KeychainError`, `KeychainAgentError`.
    func lock() async throws {
        idleTimer?.cancel()
        try await lockNow()
    }

    /// The timer calls it, which must not cancel itself before the agent has locked.
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

    // MARK: What was sent ahead

    /// Keeps a picture for its form.
    ///
    /// - Parameters:
    ///   - picture: The picture.
    ///   - count: The ``lockCount`` when it came; `nil` for a picture that is no secret of the keychain.
    /// - Returns: The name that the form brings.
    /// - Throws: `KeychainError.unlockNeeded` where it was locked since.
    func keep(_ picture: ScaledPicture, since count: Int?) throws(KeychainError) -> String {
        guard count == nil || lockCount == count else { throw .unlockNeeded }
        return pictures.keep(picture).name
    }

    /// Keeps the fields of a form that met a locked keychain, until it is unlocked.
    func keep(_ draft: PresentDraft) -> String { drafts.keep(draft).name }

    /// The fields, which are kept no more.
    func takeDraft(named name: String?) -> PresentDraft? {
        defer { drafts.remove(name) }
        return drafts[name]
    }

    /// - Throws: ``PresentError/uploadGone``.
    func picture(named name: String?) throws(PresentError) -> ScaledPicture {
        guard let picture = pictures[name] else { throw .uploadGone }
        return picture
    }

    func forgetPicture(_ name: String?) { pictures.remove(name) }

    /// Takes over a file, which is removed when it is not needed any more.
    func keep(sealedFile path: String) -> String {
        let (name, dropped) = sealedFiles.keep(path)
        for file in dropped { try? FileManager.default.removeItem(atPath: file) }
        return name
    }

    /// - Throws: ``PresentError/uploadGone``.
    func sealedFile(named name: String?) throws(PresentError) -> String {
        guard let path = sealedFiles[name] else { throw .uploadGone }
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
                    lifetime: Self.agentLifetime, startingAgentWith: [program, "agent", agent.socket])
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

/// What was sent ahead of the form that it belongs to; the oldest gives way.
struct Uploads<Value: Sendable>: Sendable {
    private var values: [(name: String, value: Value)] = []
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// - Returns: The name that the form brings, which no one can guess; and what gave way.
    mutating func keep(_ value: Value) -> (name: String, dropped: [Value]) {
        let name = BrowserAccess.randomText()
        values.append((name, value))
        let count = max(0, values.count - limit)
        defer { values.removeFirst(count) }
        return (name, values.prefix(count).map(\.value))
    }

    subscript(name: String?) -> Value? { values.first { $0.name == name }?.value }

    /// - Returns: What is kept no more.
    mutating func removeAll() -> [Value] {
        defer { values = [] }
        return values.map(\.value)
    }

    mutating func remove(_ name: String?) { values.removeAll { $0.name == name } }
}
