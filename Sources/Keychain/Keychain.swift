// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import GRDB
public import KeychainAgent
public import Secrets

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An encrypted file of credentials, certificates, identities and notes; it is locked until ``unlock(with:at:acceptingOlderState:)``.
///
/// It is one SQLite database. Each item is sealed with AES-256-GCM under keys of a random root key, which each key slot wraps.
/// `docs/keychain-format.md` describes the format. Several processes may use one file at once.
public struct Keychain: Sendable {
    /// Files outside the keychain on which some of its guarantees depend.
    public struct Places: Hashable, Sendable {
        /// The path of this device's secret, for PINs and for items of this device only.
        public var deviceSecret: String
        /// The folder in which the last state of each keychain is remembered; `nil` for not at all.
        public var rememberedStates: String?

        /// Files at other places than usual.
        public init(deviceSecret: String, rememberedStates: String?) {
            (self.deviceSecret, self.rememberedStates) = (deviceSecret, rememberedStates)
        }

        /// Files in `countersign` in the XDG state folder (`XDG_STATE_HOME`, else `~/.local/state`).
        ///
        /// - Parameter environment: The process's variables.
        public init(environment: [String: String]) {
            // The XDG Base Directory Specification has relative paths ignored.
            let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            let folder = (state ?? (environment["HOME"] ?? ".") + "/.local/state") + "/countersign/keychain"
            self.init(deviceSecret: folder + "/device", rememberedStates: folder)
        }
    }

    /// The path of its file.
    public let path: String
    /// The random number that names it.
    public let id: KeychainID
    let places: Places
    let file: KeychainFile

    private init(path: String, id: KeychainID, places: Places, file: KeychainFile) {
        (self.path, self.id, self.places, self.file) = (path, id, places, file)
    }

    // MARK: Making and opening

    /// Makes a keychain with one slot, for a passphrase.
    ///
    /// It takes about a second, because the passphrase's function is made as expensive as that.
    ///
    /// - Parameters:
    ///   - path: Where no file is yet; its folder is made with the rights 0700 where it is missing.
    ///   - passphrase: What opens it.
    ///   - places: Where the device's secret and the last state are.
    /// - Returns: The keychain, unlocked.
    /// - Throws: ``KeychainError``.
    public static func create(at path: String, passphrase: Secret, places: Places) async throws -> UnlockedKeychain {
        try await create(at: path, passphrase: passphrase, places: places, cost: .calibrated())
    }

    static func create(
        at path: String, passphrase: Secret, places: Places, cost: Scrypt
    ) async throws -> UnlockedKeychain {
        let file = try KeychainFile(path, creates: true)
        do {
            return try await fill(file, path: path, passphrase: passphrase, places: places, cost: cost)
        } catch {
            // Nothing stands in the way of a second try.
            file.discard()
            throw error
        }
    }

    private static func fill(
        _ file: KeychainFile, path: String, passphrase: Secret, places: Places, cost: Scrypt
    ) async throws -> UnlockedKeychain {
        try file.migrate()
        guard let id = KeychainID(SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }) else {
            throw KeychainError.damaged(.header)
        }
        let keychain = Keychain(path: path, id: id, places: places, file: file)
        let root = SymmetricKey(size: .bits256)
        let keys = KeyRing(root: root)
        let parameters = SlotRow.Parameters(cost: cost)
        let key = try await SlotRow.key(
            .passphrase(passphrase), id: 1, parameters: parameters, keychain: id, device: nil)
        let slot = try SlotRow(id: 1, kind: .passphrase, parameters: parameters, wrapping: root, with: key, of: id)
        try await file.write { database in
            try slot.write(database)
            var header = Header(id: id)
            try header.write(database, keys)
        }
        return UnlockedKeychain(keychain, keys, root: root)
    }

    /// Opens the file of a keychain, which stays locked.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - places: Where the device's secret and the last state are.
    /// - Returns: The keychain, whose slots can be read.
    /// - Throws: ``KeychainError``.
    public static func open(at path: String, places: Places) async throws -> Keychain {
        let file = try KeychainFile(path, creates: false)
        let id = try await file.read { try Header($0).id }
        return Keychain(path: path, id: id, places: places, file: file)
    }

    // MARK: Unlocking

    /// The ways to unlock it.
    ///
    /// - Throws: ``KeychainError``.
    public var slots: [KeySlot] {
        get async throws {
            try await file.read { database in
                try SlotRow.all(database).map { slot in
                    KeySlot(
                        id: slot.id, kind: slot.kind, failedAttempts: try Attempts(database, slot.id).failures,
                        eraseAfter: slot.parameters.eraseAfter == 0 ? nil : Int(slot.parameters.eraseAfter))
                }
            }
        }
    }

    /// Unlocks it.
    ///
    /// - Parameters:
    ///   - method: The method to unlock it.
    ///   - now: The time, by which wrong PINs are slowed.
    ///   - acceptsOlderState: Whether a file that is older than remembered is opened all the same, such as a backup.
    /// - Returns: The same keychain with its keys.
    /// - Throws: ``KeychainError/wrongPassphrase``, ``KeychainError/rolledBack``, ``KeychainError/tooManyAttempts(until:)`` and other
    ///   ``KeychainError``.
    public func unlock(
        with method: UnlockMethod, at now: Date = .now, acceptingOlderState acceptsOlderState: Bool = false
    ) async throws -> UnlockedKeychain {
        let slots = try await file.read { try SlotRow.all($0) }.filter { $0.kind == method.kind }
        guard !slots.isEmpty else { throw KeychainError.noSlot(method.kind) }
        for slot in slots {
            if slot.kind == .pin { try await count(slot, now) }
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
            try await unlocked.check(acceptsOlderState: acceptsOlderState)
            return unlocked
        }
        throw KeychainError.wrongPassphrase
    }

    /// Unlocks it with keys that an agent has held.
    ///
    /// - Parameter keys: The keys.
    /// - Returns: The same keychain with its keys; its slots stay as they are.
    /// - Throws: ``KeychainError``.
    public func unlock(with keys: KeyRing) async throws -> UnlockedKeychain {
        let unlocked = UnlockedKeychain(self, keys, root: nil)
        try await unlocked.check(acceptsOlderState: false)
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

    func epochMemory() -> EpochMemory? {
        places.rememberedStates.map { folder in
            let name = id.bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
            return EpochMemory(path: folder + "/" + name)
        }
    }
}
