// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import GRDB
internal import KeychainAgents

/// An item's row in the file.
struct ItemRow {
    let id: Int64
    let itemClass: KeychainItem.Class
    let accessibility: KeychainItem.Accessibility
    let version: Int64
    let attributes: [UInt8]

    init(_ row: Row) throws(KeychainError) {
        guard let id = Int64.fromDatabaseValue(row["id"]),
            let itemClass = Int64.fromDatabaseValue(row["class"])
                .flatMap({ KeychainItem.Class(rawValue: UInt8(clamping: $0)) }),
            let accessibility = Int64.fromDatabaseValue(row["accessibility"])
                .flatMap({ KeychainItem.Accessibility(code: UInt8(clamping: $0)) }),
            let version = Int64.fromDatabaseValue(row["version"]), let attributes = [UInt8].stored(row["attributes"])
        else { throw .damaged(.record) }
        (self.id, self.itemClass, self.accessibility) = (id, itemClass, accessibility)
        (self.version, self.attributes) = (version, attributes)
    }

    func item(_ keys: KeyRing, of keychain: KeychainID) throws(KeychainError) -> KeychainItem {
        let data = Self.authenticated("attributes", id, itemClass, accessibility, version, keychain)
        guard let plaintext = Seal.open(attributes, with: keys.attributes, for: data) else { throw .damaged(.record) }
        return try ItemCoding.item(
            plaintext, id: KeychainItem.ID(id), itemClass: itemClass, accessibility: accessibility, version: version)
    }

    /// Returns the associated data that binds a sealed part to its item, version and keychain, so that parts cannot be
    /// swapped.
    static func authenticated(
        _ part: String, _ id: Int64, _ itemClass: KeychainItem.Class, _ accessibility: KeychainItem.Accessibility,
        _ version: Int64, _ keychain: KeychainID
    ) -> [UInt8] {
        var writer = FieldWriter()
        writer.text("countersign keychain \(part)")
        writer.field(keychain.bytes)
        writer.number(id)
        writer.byte(itemClass.rawValue)
        writer.byte(accessibility.code)
        writer.number(version)
        return writer.bytes
    }
}

/// The chunks of attachments, each sealed for its item, its version and its number.
enum Chunks {
    private static let byteCount = ItemSecret.AttachmentFacts.chunkByteCount

    static func write(
        _ attachments: [NewItem.Attachment], of id: Int64, version: Int64, with key: SymmetricKey,
        keychain: KeychainID, _ database: Database
    ) throws {
        var number: Int64 = 0
        for attachment in attachments {
            for start in stride(from: 0, to: attachment.size, by: byteCount) {
                let piece = Array(attachment.bytes[start..<min(start + byteCount, attachment.size)])
                let sealed = try Seal.seal(piece, with: key, for: authenticated(id, version, number, keychain))
                try database.cachedStatement(sql: "INSERT INTO chunk VALUES (?, ?, ?)")
                    .execute(arguments: [id, number, sealed.stored])
                number += 1
            }
        }
    }

    /// - Throws: ``KeychainError/damaged(_:)`` if a chunk is missing or was replaced.
    static func read(
        _ attachment: ItemSecret.AttachmentFacts, of id: Int64, version: Int64, with key: SymmetricKey,
        keychain: KeychainID, _ database: Database
    ) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for number in attachment.firstChunk..<(attachment.firstChunk + attachment.chunkCount) {
            let row = try Row.fetchOne(
                database, sql: "SELECT sealed FROM chunk WHERE item = ? AND number = ?", arguments: [id, number])
            guard let sealed = row.flatMap({ [UInt8].stored($0["sealed"]) }),
                let piece = Seal.open(sealed, with: key, for: authenticated(id, version, number, keychain))
            else { throw KeychainError.damaged(.attachment) }
            bytes += piece
        }
        guard bytes.count == attachment.size, SHA256.hash(data: bytes).elementsEqual(attachment.digest) else {
            throw KeychainError.damaged(.attachment)
        }
        return bytes
    }

    private static func authenticated(
        _ id: Int64, _ version: Int64, _ number: Int64, _ keychain: KeychainID
    ) -> [UInt8] {
        var writer = FieldWriter()
        writer.text("countersign keychain chunk")
        writer.field(keychain.bytes)
        for value in [id, version, number] { writer.number(value) }
        return writer.bytes
    }
}
