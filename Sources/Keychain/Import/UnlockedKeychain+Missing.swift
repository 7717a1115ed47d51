// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension UnlockedKeychain {
    /// Returns the items of which the keychain has none with the same class, names and secret; each of them once.
    ///
    /// - Throws: ``KeychainError``, such as ``KeychainError/unlockNeeded`` where the secret of an item with these names cannot be read now.
    public func missing(_ items: [NewItem]) async throws -> [NewItem] {
        var seen: Set<NewItem.Content> = []
        var missing: [NewItem] = []
        for item in items where seen.insert(item.content).inserted {
            if try await !holds(item) { missing.append(item) }
        }
        return missing
    }

    private func holds(_ new: NewItem) async throws -> Bool {
        var query = KeychainQuery(new.kind.itemClass)
        switch new.kind {
        case .genericPassword(let service, let account):
            (query.service, query.account) = (given(service), given(account))
        case .internetPassword(let space, _): query.protectionSpace = space
        case .certificate(let facts, _, _), .identity(let facts, _): query.fingerprint = facts.fingerprint
        case .note: query.label = given(new.label)
        }
        return try await hasSecret(of: new, query)
    }

    /// An empty text matches no item, so it is left out of a query.
    private func given(_ text: String) -> String? { text.isEmpty ? nil : text }
}

extension NewItem {
    /// By which two items are the same, whatever they are called.
    struct Content: Hashable {
        let kind: KeychainItem.Kind
        let secret: [UInt8]
    }

    var content: Content { Content(kind: kind, secret: secret) }
}
