// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
public import EssentialFoundation
internal import GRDB
internal import KeychainAgents
internal import PrivateFiles

/// The outcome of ``UnlockedKeychain/repair(to:at:)``.
public struct KeychainRepair: Hashable, Sendable {
    /// The items that were saved completely, or without an attachment.
    public internal(set) var saved: [KeychainItem] = []
    /// The damage of the keychain; empty for none.
    public internal(set) var damage: [KeychainDamage] = []
    /// The damaged items in the new file, which are copied unchanged because they may be pins or distrusted
    /// certificates.
    ///
    /// As long as the new keychain contains such an item, it provides no trust settings. The last item of this list may
    /// be a placeholder for lost items.
    public internal(set) var damagedItems: [KeychainItem.ID] = []
}

extension UnlockedKeychain {
    /// Checks that no other program removed, added or reverted an item, and that every item and attachment can be
    /// opened.
    ///
    /// Secrets that cannot be read now (``KeychainError/unlockNeeded``, ``KeychainError/notOnThisDevice``) are omitted.
    ///
    /// - Parameter progress: Receives the completed fraction, from 0 to 1.
    /// - Returns: The readable items, and all damage.
    /// - Throws: ``KeychainError``, such as ``KeychainError/damaged(_:)`` for the header.
    public func examine(progress: @Sendable @escaping (Double) -> Void = { _ in }) async throws -> KeychainListing {
        let device = try keychain.device()
        return try await keychain.file.read { [keys] database in
            var reader = try KeychainReader(database, keys, device: device)
            var listing = try reader.examine(progress: progress)
            listing.damage += try SlotRow.all(database).damaged.map { .slot($0) }
            return listing
        }
    }

    /// Performs the checks of ``examine(progress:)``, and throws the first damage.
    ///
    /// - Parameter progress: Receives the completed fraction, from 0 to 1.
    /// - Returns: The number of items.
    /// - Throws: ``KeychainError/damagedItem(_:)``, ``KeychainError/damaged(_:)`` and other ``KeychainError``.
    public func verify(progress: @Sendable @escaping (Double) -> Void = { _ in }) async throws -> Int {
        let listing = try await examine(progress: progress)
        if let damage = listing.damage.first { throw damage.error }
        return listing.items.count
    }

    /// Copies the keychain to a new file, and checks that the copy opens.
    ///
    /// - Parameter file: The file URL of the copy. No file may exist there; its folder is created if it is missing.
    /// - Returns: The damage of the keychain, which the copy has too; empty for none.
    /// - Throws: ``KeychainError/exists(path:)``, ``KeychainError/unsafePermissions(path:)``,
    ///   ``KeychainError/notAFile(url:)``, ``KeychainError/damaged(_:)`` and other ``KeychainError``.
    @discardableResult
    public func backup(to file: URL) async throws -> [KeychainDamage] {
        try await backup(to: try PrivateFile<KeychainError>.path(of: file))
    }

    @discardableResult
    package func backup(to path: String) async throws -> [KeychainDamage] {
        try PrivateFile<KeychainError>.createFolder(of: path)
        guard try !PrivateFile<KeychainError>.check(path) else { throw KeychainError.exists(path: path) }
        guard try PrivateFile<KeychainError>.create(path, []) else { throw KeychainError.exists(path: path) }
        do {
            try keychain.file.copy(to: path)
            let copy = try await Keychain.open(
                at: path, places: Keychain.Places(deviceSecret: keychain.places.deviceSecret, rememberedStates: nil))
            return try await copy.unlock(with: keys).examine().damage
        } catch {
            KeychainFile.remove(path)
            throw error
        }
    }

    /// Reduces the size of the file by the space of removed items.
    ///
    /// - Throws: ``KeychainError``.
    public func compact() async throws { try await keychain.file.vacuum() }

    /// Saves all readable parts in a new file with the same keys, key slots and item numbers; this keychain is not
    /// changed.
    ///
    /// Items are copied in sealed form, so items of another device and items that cannot be read now are saved too. An
    /// item that cannot be opened is left out, unless it is a certificate that may protect: a pin or a distrusted one.
    ///
    /// - Parameters:
    ///   - file: The file URL of the new file. No file may exist there; its folder is created if it is missing.
    ///   - now: The modification time of a note that loses an attachment.
    /// - Returns: The saved items, and all damage.
    /// - Throws: ``KeychainError/exists(path:)``, ``KeychainError/notAFile(url:)``, ``KeychainError/damaged(_:)`` if no
    ///   slot can be read or the file is unreadable, and other ``KeychainError``.
    public func repair(to file: URL, at now: Date = .now) async throws -> KeychainRepair {
        try await repair(to: try PrivateFile<KeychainError>.path(of: file), at: now)
    }

    package func repair(to path: String, at now: Date = .now) async throws -> KeychainRepair {
        let device = try keychain.device()
        return try await KeychainFile.create(at: path) { copy in
            try copy.migrate()
            return try await keychain.file.read { [keys, places = keychain.places] database in
                try copy.writeSynchronously { new in
                    var rescue = try Rescue(from: database, to: new, keys, places, device: device, now: now)
                    return try rescue.run()
                }
            }
        }
    }
}

/// Copies all readable parts of a database to a new one.
private struct Rescue {
    private let old: Database
    private let new: Database
    private var reader: KeychainReader
    private var writer: KeychainWriter

    init(
        from old: Database, to new: Database, _ keys: KeyRing, _ places: Keychain.Places, device: DeviceSecret?,
        now: Date
    ) throws {
        (self.old, self.new) = (old, new)
        reader = try KeychainReader(repairing: old, keys, device: device)
        guard try !SlotRow.all(old).slots.isEmpty else { throw KeychainError.damaged(.slot) }
        var header = Header(id: reader.header.id)
        (header.epoch, header.nextItem) = (reader.header.epoch, reader.header.nextItem)
        try header.write(new, keys)
        writer = try KeychainWriter(new, keys, device: places.deviceSecret, now: now)
    }

    mutating func run() throws -> KeychainRepair {
        try copySlots()
        let found = try reader.examine { _ in }
        var repair = KeychainRepair()
        repair.damage = found.damage.filter { if case .group = $0 { !reader.isHeaderDamaged } else { true } }
        repair.damage += try SlotRow.all(old).damaged.map { .slot($0) }
        if reader.isHeaderDamaged { repair.damage = [.header] + repair.damage.filter { $0 != .index } }
        var (lost, incomplete) = (Set<KeychainItem.ID>(), [KeychainItem.ID: Set<String>]())
        var mayMissTrust = reader.isHeaderDamaged
        for damage in found.damage {
            switch damage {
            // The item was added by another program.
            case .item(let id, _) where id.number >= reader.header.nextItem: break
            case .item(let id, .certificate): repair.damagedItems.append(id)
            case .item(_, let itemClass): mayMissTrust = mayMissTrust || itemClass == nil
            case .secret(let item):
                lost.insert(item.id)
                if case .certificate(_, let setting, _) = item.kind, setting != .anchor {
                    repair.damagedItems.append(item.id)
                }
            case .attachment(let name, let item): incomplete[item.id, default: []].insert(name)
            case .group: mayMissTrust = true
            case .index, .slot, .header: break
            }
        }
        for item in found.items where !lost.contains(item.id) {
            do {
                try new.inSavepoint {
                    if let names = incomplete[item.id] {
                        try writer.restore(item, as: try reader.note(item, without: names))
                    } else {
                        try writer.restore(item, from: old)
                    }
                    return .commit
                }
                repair.saved.append(item)
            } catch  where KeychainFile.isDamage(error) {
                // The secret cannot be opened now, so the examination did not read the damaged page, but copying did.
                repair.damage.append(.secret(item))
            }
        }
        for id in repair.damagedItems { try writer.restoreDamaged(id, from: old) }
        if mayMissTrust { repair.damagedItems.append(try writer.addPlaceholder()) }
        // The epoch of a damaged header is unknown, so the new file must be explicitly accepted as an older state.
        _ = try writer.finish(epoch: reader.isHeaderDamaged ? 0 : nil)
        return repair
    }

    private func copySlots() throws {
        for slot in try SlotRow.all(old).slots {
            try slot.write(new)
            let attempts = try Attempts(old, slot.id)
            guard attempts.failures > 0 else { continue }
            try Attempts.count(new, slot.id, failures: attempts.failures, at: attempts.last)
        }
    }
}

extension KeychainReader {
    /// Returns a note without some of its attachments.
    fileprivate func note(_ item: KeychainItem, without names: Set<String>) throws -> NewItem {
        guard case .note(let text, let facts) = try secret(of: item) else { throw KeychainError.damagedItem(item.id) }
        let attachments = try facts.filter { !names.contains($0.name) }.map { fact in
            NewItem.Attachment(
                name: fact.name, mediaType: fact.mediaType, bytes: try attachment(fact.name, of: item))
        }
        return .note(
            text, attachments: attachments, label: item.label, comment: item.comment, accessibility: item.accessibility)
    }
}
