// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Keychain

extension UnlockedKeychain {
    /// The one item of a number or a name.
    ///
    /// - Parameter name: Its number, label, host, service, account or fingerprint.
    /// - Returns: The item.
    /// - Throws: ``KeychainCommandError/noItemCalled(_:)``, ``KeychainCommandError/severalItems(_:_:)`` and `KeychainError`.
    func item(called name: String) async throws -> KeychainItem {
        if let number = Int64(name) { return try await item(KeychainItem.ID(number)) }
        let fields: [WritableKeyPath<KeychainQuery, String?>] = [
            \.label, \.host, \.service, \.account, \.fingerprint,
        ]
        for field in fields {
            var query = KeychainQuery()
            query[keyPath: field] = name
            let found = try await items(query)
            guard found.count < 2 else { throw KeychainCommandError.severalItems(name, found.map(\.id)) }
            if let item = found.first { return item }
        }
        throw KeychainCommandError.noItemCalled(name)
    }
}
