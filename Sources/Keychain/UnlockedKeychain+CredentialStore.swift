// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
internal import Secrets

extension ProtectionSpace {
    /// Returns the protection space of a whole origin or proxy, for a login of which the realm and the method are not known.
    public static func whole(host: HostName, port: Int, scheme: String, role: Role = .origin) -> ProtectionSpace {
        ProtectionSpace(host: host, port: port, scheme: scheme, realm: nil, method: .any, role: role)
    }

    /// Whether the space is a whole origin or proxy, see ``whole(host:port:scheme:role:)``.
    public var isWhole: Bool { realm == nil && method == .any }

    fileprivate var whole: ProtectionSpace { .whole(host: host, port: port, scheme: scheme, role: role) }
}

extension AuthenticationMethod {
    fileprivate static let any = Self("*")
}

extension UnlockedKeychain: CredentialStore {
    /// Returns the password or token for a protection space, or else for its whole origin or proxy; `nil` for none.
    ///
    /// Those that a server has rejected are left out.
    ///
    /// - Parameter space: The protection space.
    /// - Returns: The credential.
    /// - Throws: ``KeychainError``, such as ``KeychainError/unlockNeeded``.
    public func read(for space: ProtectionSpace) async throws -> Credential? {
        guard let (item, secret) = try await answer(to: space), case .password(let password) = secret else {
            return nil
        }
        guard case .internetPassword(_, let user?) = item.kind else { return .token(password, persistence: .permanent) }
        return .password(user: user, password: password, persistence: .permanent)
    }

    /// Keeps a password or a token in place of those of the protection space; other kinds of credentials are not kept.
    ///
    /// - Throws: ``KeychainError``, such as ``KeychainError/unlockNeeded``.
    public func save(_ credential: Credential, for space: ProtectionSpace) async throws {
        // The login of the whole origin is right already.
        if try await read(for: space) == credential { return }
        switch credential.kind {
        case .password(let user, let password):
            try await put(
                .internetPassword(password, user: user, space: space, accessibility: .afterFirstUnlock),
                insteadOf: Self.query(space))
        case .token(let token):
            try await put(
                .internetPassword(token, user: nil, space: space, accessibility: .afterFirstUnlock),
                insteadOf: Self.query(space))
        case .currentUser, .identity, .serverTrust: break
        }
    }

    /// Marks the password or token of a protection space as rejected, so that it is not offered, but can be read and changed.
    ///
    /// - Throws: ``KeychainError``, such as ``KeychainError/unlockNeeded``.
    public func remove(for space: ProtectionSpace) async throws {
        try await editFirst(Self.queries(space), where: Self.isAnswer(to: space)) { item, secret in
            guard case .password(let password) = secret, case .internetPassword(let stored, let user) = item.kind else {
                return nil
            }
            var rejected = NewItem.internetPassword(
                password, user: user, space: stored, label: item.label, comment: item.comment,
                accessibility: item.accessibility)
            rejected.isRejected = true
            return rejected
        }
    }

    /// The first item of the space that was not rejected, then of its origin: a token for a method that carries nothing else, and a
    /// password for all others.
    private func answer(to space: ProtectionSpace) async throws -> (KeychainItem, ItemSecret)? {
        try await first(Self.queries(space), where: Self.isAnswer(to: space))
    }

    private static func queries(_ space: ProtectionSpace) -> [KeychainQuery] { [query(space), query(space.whole)] }

    private static func isAnswer(
        to space: ProtectionSpace
    ) -> @Sendable (KeychainItem, KeychainQuery) -> Bool {
        let carriesToken = space.method.traits.carries == .token
        return { item, query in
            guard case .internetPassword(_, let user) = item.kind else { return false }
            return !item.isRejected && (query.protectionSpace?.isWhole != true || (user == nil) == carriesToken)
        }
    }

    private static func query(_ space: ProtectionSpace) -> KeychainQuery {
        var query = KeychainQuery(.internetPassword)
        query.protectionSpace = space
        return query
    }
}
