// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import Encodings
public import EssentialFoundation
internal import GRDB
public import KeychainAgent
public import Secrets

/// An encrypted file of credentials, certificates, identities and notes; it is locked until ``unlock(with:at:acceptingOlderState:)``.
///
/// It is one SQLite database. Each item is sealed with AES-256-GCM under keys of a random root key, which each key slot wraps.
/// `docs/reference/keychain-format.md` describes the format. Several processes may use one file at once. Asynchronous functions of this type also
/// throw `CancellationError` where the task is cancelled.
public struct Keychain: Sendable {
    /// Files outside the keychain on which some of its guarantees depend.
    public struct Places: Hashable, Sendable {
        /// The path of this device's secret, for PINs and for items of this device only.
        public var deviceSecret: String
        /// The folder in which the last state of each keychain is remembered; `nil` for none, so that an older copy is not detected.
        public var rememberedStates: String?

        /// Makes places with the path of the device's secret and the folder of the remembered states.
        public init(deviceSecret: String, rememberedStates: String?) {
            (self.deviceSecret, self.rememberedStates) = (deviceSecret, rememberedStates)
        }

        /// Makes places in `countersign/keychain` in the XDG state folder (`XDG_STATE_HOME`, else `~/.local/state`).
        ///
        /// - Parameter environment: The process's variables. A relative `XDG_STATE_HOME` is ignored; without `HOME`, `~` is the current
        ///   folder.
        public init(environment: [String: String]) {
            // The XDG Base Directory Specification has relative paths ignored.
            let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            let folder = (state ?? (environment["HOME"] ?? ".") + "/.local/state") + "/countersign/keychain"
            self.init(deviceSecret: folder + "/device", rememberedStates: folder)
        }
    }

    /// The path of the keychain's file.
    public let path: String
    /// The random number that identifies the keychain.
    public let id: KeychainID
    let places: Places
    let file: KeychainFile
    /// Whether it is unlocked only to be repaired, so that neither the header nor the remembered state is checked.
    private var isForRepair = false

    private init(path: String, id: KeychainID, places: Places, file: KeychainFile) {
        (self.path, self.id, self.places, self.file) = (path, id, places, file)
    }

    /// The same keychain, which unlocks also with a damaged header; only ``UnlockedKeychain/repair(to:at:)`` reads it then.
    public var forRepair: Keychain {
        var copy = self
        copy.isForRepair = true
        return copy
    }

    // MARK: Making and opening

    /// Makes a keychain with one slot, for a passphrase.
    ///
    /// It takes about a second and at least 128 MiB, because the cost of scrypt (RFC 7914) is chosen so that guessing is expensive.
    ///
    /// - Parameters:
    ///   - path: The path of the new file. Its folder is made with the rights 0700 where it is missing.
    ///   - passphrase: The passphrase that unlocks the keychain.
    ///   - places: The places of the device's secret and of the last state.
    /// - Returns: The keychain, unlocked.
    /// - Throws: ``KeychainError/exists(path:)``, ``KeychainError/unsafeRights(path:)``, ``KeychainError/networkFileSystem(path:)``,
    ///   ``KeychainError/outOfMemory`` and other ``KeychainError``.
    public static func create(at path: String, passphrase: Secret, places: Places) async throws -> UnlockedKeychain {
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

    /// Opens the file of a keychain, which stays locked.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - places: The places of the device's secret and of the last state.
    /// - Returns: The keychain, whose slots can be read.
    /// - Throws: ``KeychainError/notFound(path:)``, ``KeychainError/notKeychain(path:)``, ``KeychainError/unsafeRights(path:)``,
    ///   ``KeychainError/networkFileSystem(path:)``, ``KeychainError/otherVersion(_:)``, ``KeychainError/damaged(_:)`` and other ``KeychainError``.
    public static func open(at path: String, places: Places) async throws -> Keychain {
        let file = try KeychainFile(path, creates: false)
        let id = try await file.read { database in
            // Other programs keep databases of SQLite too.
            guard try database.tableExists("header") else { throw KeychainError.notKeychain(path: path) }
            return try Header.id(database)
        }
        return Keychain(path: path, id: id, places: places, file: file)
    }

    // MARK: Unlocking

    /// The slots by which the keychain can be unlocked, in the order of their numbers; slots that cannot be read are left out.
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
    ///   - now: The current time, by which guesses of a PIN are delayed.
    ///   - acceptsOlderState: Whether a file that is older than the remembered state is opened too, such as a backup.
    /// - Returns: The same keychain with its keys.
    /// - Throws: ``KeychainError/wrongPassphrase``, ``KeychainError/noSlot(_:)``, ``KeychainError/rolledBack``; for a PIN
    ///   ``KeychainError/tooManyAttempts(until:)``, ``KeychainError/erased`` and ``KeychainError/notOnThisDevice``; for a ``KeyHolder``
    ///   ``KeychainError/noHeldKey`` and what it throws; and other ``KeychainError``.
    public func unlock(
        with method: UnlockMethod, at now: Date = .now, acceptingOlderState acceptsOlderState: Bool = false
    ) async throws -> UnlockedKeychain {
        let (all, damaged) = try await file.read { try SlotRow.all($0) }
        let slots = all.filter { $0.kind == method.kind }
        guard !slots.isEmpty else {
            // One that cannot be read may be of this kind.
            throw damaged.isEmpty ? KeychainError.noSlot(method.kind) : .damaged(.slot)
        }
        for slot in slots {
            if slot.kind == .pin {
                // On another device no PIN can be right, so none is counted.
                guard try device() != nil else { throw KeychainError.notOnThisDevice }
                try await count(slot, now)
            }
            let key: SymmetricKey
            do {
                key = try await SlotRow.key(
                    method, id: slot.id, parameters: slot.parameters, keychain: id, device: try device())
            } catch KeychainError.noHeldKey where slot.id != slots.last?.id {
                // It is the slot of another machine.
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

    /// Unlocks the keychain with keys that an agent has held.
    ///
    /// - Parameter keys: The keys of this keychain.
    /// - Returns: The same keychain with its keys, which cannot add slots.
    /// - Throws: ``KeychainError/damaged(_:)`` also for keys of another keychain, ``KeychainError/rolledBack`` and other ``KeychainError``.
    public func unlock(with keys: KeyRing) async throws -> UnlockedKeychain {
        let unlocked = UnlockedKeychain(self, keys, root: nil)
        if !isForRepair { try await unlocked.check(acceptsOlderState: false) }
        return unlocked
    }

    /// Counts a guess before it is checked, so that ending the program does not undo it.
    private func count(_ slot: SlotRow, _ now: Date) async throws {
        let time = Int64(now.timeIntervalSince1970)
        let isErased = try await file.write { database in
            let attempts = try Attempts(database, slot.id)
            if slot.parameters.eraseAfter > 0, attempts.failures >= slot.parameters.eraseAfter {
                try database.execute(sql: "DELETE FROM slot WHERE id = ?", arguments: [slot.id])
                return true
            }
            // A clock that was set back does not end the wait.
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
