// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import GRDB
internal import KeychainAgent

/// An item as it stands in the file.
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

    /// What an item's parts are bound to, so that none can stand for another.
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
