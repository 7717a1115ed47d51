// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Challenges

extension UnlockedKeychain: CredentialStore {
    /// The password or token that is kept for a protection space.
    ///
    /// - Throws: ``KeychainError``.
    public func read(for space: ProtectionSpace) async throws -> Credential? {
        var query = KeychainQuery(.internetPassword)
        query.protectionSpace = space
        let found = try await first(query)
        guard case (.internetPassword(_, let user), .password(let password))? = found else { return nil }
        if let user { return .password(user: user, password: password, persistence: .permanent) }
        return .token(password, persistence: .permanent)
    }

    /// Keeps a password or a token in the place of the one that was there; other credentials are not kept.
    ///
    /// - Throws: ``KeychainError``.
    public func save(_ credential: Credential, for space: ProtectionSpace) async throws {
        var query = KeychainQuery(.internetPassword)
        query.protectionSpace = space
        switch credential.kind {
        case .password(let user, let password):
            try await put(
                .internetPassword(password, user: user, space: space, accessibility: .afterFirstUnlock),
                insteadOf: query)
        case .token(let token):
            try await put(
                .internetPassword(token, user: nil, space: space, accessibility: .afterFirstUnlock),
                insteadOf: query)
        case .currentUser, .identity, .serverTrust: break
        }
    }

    /// Forgets what is kept for a protection space.
    ///
    /// - Throws: ``KeychainError``.
    public func remove(for space: ProtectionSpace) async throws {
        var query = KeychainQuery(.internetPassword)
        query.protectionSpace = space
        try await removeAll(query)
    }
}
