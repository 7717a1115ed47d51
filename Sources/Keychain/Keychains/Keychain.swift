// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import Encodings
public import EssentialFoundation
internal import GRDB
public import KeychainAgents
internal import PrivateFiles
public import Secrets

/// An encrypted file of credentials, certificates, identities and notes; ``unlock(with:at:acceptingOlderState:)``
/// unlocks it.
///
/// The file is a SQLite database. Each item is sealed with AES-256-GCM; the keys are derived from a random root key,
/// which each key slot wraps. `docs/reference/keychain-format.md` describes the format. Several processes may use one
/// file at the same time. Asynchronous functions of this type also throw `CancellationError` if the task is cancelled.
public struct Keychain: Sendable {
    /// The files outside the keychain on which some of its guarantees depend.
    public struct Places: Hashable, Sendable {
        /// The path of the device secret, for PINs and for this-device-only items.
        package let deviceSecret: String
        /// The folder in which the last state of each keychain is stored, to detect an older copy; `nil` for none.
        package let rememberedStates: String?

        /// Creates places from file URLs.
        ///
        /// - Parameters:
        ///   - deviceSecret: The file of the device secret, for PINs and for this-device-only items.
        ///   - rememberedStates: The folder in which the last state of each keychain is stored, to detect an older
        ///     copy; `nil` for none.
        /// - Throws: ``KeychainError/notAFile(url:)``.
        public init(deviceSecret: URL, rememberedStates: URL?) throws(KeychainError) {
            self.deviceSecret = try PrivateFile<KeychainError>.path(of: deviceSecret)
            guard let rememberedStates else {
                self.rememberedStates = nil
                return
            }
            self.rememberedStates = try PrivateFile<KeychainError>.path(of: rememberedStates)
        }

        /// Creates places from the path of the device secret and the folder of the stored states.
        package init(deviceSecret: String, rememberedStates: String?) {
            (self.deviceSecret, self.rememberedStates) = (deviceSecret, rememberedStates)
        }

        /// Creates places in `countersign/keychain` in the XDG state folder (`XDG_STATE_HOME`, else `~/.local/state`).
        ///
        /// - Parameter environment: The environment of the process. A relative `XDG_STATE_HOME` is ignored; without
        ///   `HOME`, `~` is the current folder.
        public init(environment: [String: String]) {
            // The XDG Base Directory Specification requires that relative paths are ignored.
            let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            let folder = (state ?? (environment["HOME"] ?? ".") + "/.local/state") + "/countersign/keychain"
            self.init(deviceSecret: folder + "/device", rememberedStates: folder)
        }
    }

    /// The file URL of the keychain.
    public var fileURL: URL { URL(filePath: path, directoryHint: .notDirectory) }
    /// The path of the keychain file.
    package let path: String
    /// The random identifier of the keychain.
    public let id: KeychainID
    let places: Places
    let file: KeychainFile
    /// Whether the keychain is unlocked only for repair, without checks of the header and the stored state.
    private var isForRepair = false

    private init(path: String, id: KeychainID, places: Places, file: KeychainFile) {
        (self.path, self.id, self.places, self.file) = (path, id, places, file)
    }

    /// The same keychain, which can be unlocked even with a damaged header, for ``UnlockedKeychain/repair(to:at:)``
    /// only.
    public var forRepair: Keychain {
        var copy = self
        copy.isForRepair = true
        return copy
    }

    // MARK: Creating and opening

    /// Creates a keychain with one slot, for a passphrase.
    ///
    /// This takes about a second and at least 128 MiB, because the cost of scrypt (RFC 7914) is chosen to make guessing
    /// expensive.
    ///
    /// - Parameters:
    ///   - file: The file URL of the new file. Its folder is created with the permissions 0700 if it is missing.
    ///   - passphrase: The passphrase that unlocks the keychain.
    ///   - places: The places of the device secret and of the stored states.
    /// - Returns: The unlocked keychain.
    /// - Throws: ``KeychainError/exists(path:)``, ``KeychainError/unsafePermissions(path:)``,
    ///   ``KeychainError/networkFileSystem(path:)``, ``KeychainError/notAFile(url:)``, ``KeychainError/outOfMemory``
    ///   and other ``KeychainError``.
    public static func create(at file: URL, passphrase: Secret, places: Places) async throws -> UnlockedKeychain {
        try await create(
            at: try PrivateFile<KeychainError>.path(of: file), passphrase: passphrase, places: places)
    }

    package static func create(at path: String, passphrase: Secret, places: Places) async throws -> UnlockedKeychain {
        try await create(at: path, passphrase: passphrase, places: places, cost: .calibrated)
    }

    static func create(
        at path: String, passphrase: Secret, places: Places, cost: Scrypt
    ) async throws -> UnlockedKeychain {
        let root = SymmetricKey(size: .bits256)
        let id = try await KeychainFile.create(at: path) { file in
            try await fill(file, passphrase: passphrase, root: root, cost: cost)
        }
        let keychain = Keychain(
            path: path, id: id, places: places, file: try KeychainFile(path, creates: false))
        return UnlockedKeychain(keychain, KeyRing(root: root), root: root)
    }

    private static func fill(
        _ file: KeychainFile, passphrase: Secret, root: SymmetricKey, cost: Scrypt
    ) async throws -> KeychainID {
        try file.migrate()
        guard let id = KeychainID(SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }) else {
            throw KeychainError.damaged(.header)
        }
        let parameters = SlotRow.Parameters(cost: cost)
        let key = try await SlotRow.key(
            .passphrase(passphrase), id: 1, parameters: parameters, keychain: id, device: nil)
        let slot = try SlotRow(id: 1, kind: .passphrase, parameters: parameters, wrapping: root, with: key, of: id)
        try await file.write { database in
            try slot.write(database)
            var header = Header(id: id)
            try header.write(database, KeyRing(root: root))
        }
        return id
    }

    /// Opens a keychain file without unlocking it.
    ///
    /// - Parameters:
    ///   - file: The file URL of the keychain.
    ///   - places: The places of the device secret and of the stored states.
    /// - Returns: The locked keychain, whose slots can be read.
    /// - Throws: ``KeychainError/notFound(path:)``, ``KeychainError/notKeychain(path:)``,
    ///   ``KeychainError/unsafePermissions(path:)``, ``KeychainError/networkFileSystem(path:)``,
    ///   ``KeychainError/notAFile(url:)``, ``KeychainError/otherVersion(_:)``, ``KeychainError/damaged(_:)`` and other
    ///   ``KeychainError``.
    public static func open(at file: URL, places: Places) async throws -> Keychain {
        try await open(at: try PrivateFile<KeychainError>.path(of: file), places: places)
    }

    package static func open(at path: String, places: Places) async throws -> Keychain {
        let file = try KeychainFile(path, creates: false)
        let id = try await file.read { database in
            // The file may be the SQLite database of another program.
            guard try database.tableExists("header") else { throw KeychainError.notKeychain(path: path) }
            return try Header.id(database)
        }
        return Keychain(path: path, id: id, places: places, file: file)
    }

    // MARK: Unlocking

    /// The readable key slots, ordered by number.
    ///
    /// - Throws: ``KeychainError``.
    public var slots: [KeySlot] {
        get async throws {
            try await file.read { database in
                try SlotRow.all(database).slots.map { slot in
                    KeySlot(
                        id: slot.id, kind: slot.kind, failedAttempts: try Attempts(database, slot.id).failures,
                        eraseAfter: slot.parameters.eraseAfter == 0 ? nil : Int(slot.parameters.eraseAfter))
                }
            }
        }
    }

    /// Unlocks the keychain.
    ///
    /// - Parameters:
    ///   - method: The secret, which must open one of the slots of its kind.
    ///   - now: The current time, by which PIN guesses are delayed.
    ///   - acceptsOlderState: Whether a file that is older than the stored state is accepted, such as a backup.
    /// - Returns: The unlocked keychain.
    /// - Throws: ``KeychainError/wrongPassphrase``, ``KeychainError/noSlot(_:)``, ``KeychainError/rolledBack``; for a
    ///   PIN ``KeychainError/tooManyAttempts(until:)``, ``KeychainError/erased`` and ``KeychainError/notOnThisDevice``;
    ///   for a ``KeyHolder`` ``KeychainError/noHeldKey`` and its own errors; and other ``KeychainError``.
    public func unlock(
        with method: UnlockMethod, at now: Date = .now, acceptingOlderState acceptsOlderState: Bool = false
    ) async throws -> UnlockedKeychain {
        let (all, damaged) = try await file.read { try SlotRow.all($0) }
        let slots = all.filter { $0.kind == method.kind }
        guard !slots.isEmpty else {
            // An unreadable slot may be of this kind.
            throw damaged.isEmpty ? KeychainError.noSlot(method.kind) : .damaged(.slot)
        }
        for slot in slots {
            if slot.kind == .pin {
                // Without the device secret no PIN can be right, so the guess is not counted.
                guard try device() != nil else { throw KeychainError.notOnThisDevice }
                try await count(slot, now)
            }
            let key: SymmetricKey
            do {
                key = try await SlotRow.key(
                    method, id: slot.id, parameters: slot.parameters, keychain: id, device: try device())
            } catch KeychainError.noHeldKey where slot.id != slots.last?.id {
                // The slot may belong to another machine.
                continue
            }
            guard let root = slot.root(key, of: id) else { continue }
            if slot.kind == .pin { try await file.write { try Attempts.forget($0, slot.id) } }
            let unlocked = UnlockedKeychain(self, KeyRing(root: root), root: root)
            if !isForRepair { try await unlocked.check(acceptsOlderState: acceptsOlderState) }
            return unlocked
        }
        throw damaged.isEmpty ? KeychainError.wrongPassphrase : .damaged(.slot)
    }

    /// Unlocks the keychain with keys from an agent.
    ///
    /// - Parameter keys: The keys of this keychain.
    /// - Returns: The unlocked keychain, to which no slots can be added.
    /// - Throws: ``KeychainError/damaged(_:)``, for example if the keys are for another keychain,
    ///   ``KeychainError/rolledBack`` and other ``KeychainError``.
    public func unlock(with keys: KeyRing) async throws -> UnlockedKeychain {
        let unlocked = UnlockedKeychain(self, keys, root: nil)
        if !isForRepair { try await unlocked.check(acceptsOlderState: false) }
        return unlocked
    }

    /// Counts a guess before it is checked, so that ending the program does not undo the count.
    private func count(_ slot: SlotRow, _ now: Date) async throws {
        let time = Int64(now.timeIntervalSince1970)
        let isErased = try await file.write { database in
            let attempts = try Attempts(database, slot.id)
            if slot.parameters.eraseAfter > 0, attempts.failures >= slot.parameters.eraseAfter {
                try database.execute(sql: "DELETE FROM slot WHERE id = ?", arguments: [slot.id])
                return true
            }
            // Setting the clock back does not end the delay.
            let wait = PINPolicy.delay(after: attempts.failures)
            let end = attempts.last + wait
            guard attempts.failures == 0 || time >= end else {
                throw KeychainError.tooManyAttempts(until: Date(timeIntervalSince1970: Double(end)))
            }
            try Attempts.count(database, slot.id, failures: attempts.failures + 1, at: time)
            return false
        }
        if isErased { throw KeychainError.erased }
    }

    func device() throws(KeychainError) -> DeviceSecret? { try DeviceSecret.read(at: places.deviceSecret) }

    func epochMemory(_ keys: KeyRing) -> EpochMemory? {
        places.rememberedStates.map { folder in
            EpochMemory(path: folder + "/" + Hexadecimal.encode(id.bytes), keychain: id, keys: keys)
        }
    }
}
