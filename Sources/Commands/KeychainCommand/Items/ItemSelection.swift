// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Keychain

extension UnlockedKeychain {
    /// The one item of a number or a name.
    ///
    /// - Parameter name: Its number, label, host, service, account or fingerprint.
    /// - Returns: The item.
    /// - Throws: ``KeychainCommandError/noItemCalled(_:)``, ``KeychainCommandError/severalItems(_:_:)`` and `KeychainError`,
    ///   such as `KeychainError.damagedItem`.
    func item(called name: String) async throws -> KeychainItem {
        if let number = Int64(name) { return try await item(KeychainItem.ID(number)) }
        let fields: [WritableKeyPath<KeychainQuery, String?>] = [
            \.label, \.host, \.service, \.account, \.fingerprint,
        ]
        var damage: KeychainDamage?
        for field in fields {
            var query = KeychainQuery()
            query[keyPath: field] = name
            let listing = try await listing(query)
            let found = listing.items
            guard found.count < 2 else { throw KeychainCommandError.severalItems(name, found.map(\.id)) }
            if let item = found.first { return item }
            damage = damage ?? listing.damage.first
        }
        // The item that is meant may be the damaged one.
        if let damage { throw damage.error }
        throw KeychainCommandError.noItemCalled(name)
    }
}
