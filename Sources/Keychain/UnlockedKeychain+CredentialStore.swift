// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
internal import Secrets

extension ProtectionSpace {
    /// All of an origin or a proxy, whatever realm and method it names: where a login is valid that was not learned from a challenge.
    public static func whole(host: HostName, port: Int, scheme: String, role: Role = .origin) -> ProtectionSpace {
        ProtectionSpace(host: host, port: port, scheme: scheme, realm: nil, method: .any, role: role)
    }

    /// Whether it is all of an origin or a proxy.
    public var isWhole: Bool { realm == nil && method == .any }

    fileprivate var whole: ProtectionSpace { .whole(host: host, port: port, scheme: scheme, role: role) }
}

extension AuthenticationMethod {
    fileprivate static let any = Self("*")
}

extension UnlockedKeychain: CredentialStore {
    /// The password or token that is kept for a protection space, or else for the whole of its origin.
    ///
    /// One that a server has rejected is passed over.
    ///
    /// - Throws: ``KeychainError``.
    public func read(for space: ProtectionSpace) async throws -> Credential? {
        guard let (item, secret) = try await answer(to: space), case .password(let password) = secret else {
            return nil
        }
        guard case .internetPassword(_, let user?) = item.kind else { return .token(password, persistence: .permanent) }
        return .password(user: user, password: password, persistence: .permanent)
    }

    /// Keeps a password or a token in the place of the one that was there; other credentials are not kept.
    ///
    /// - Throws: ``KeychainError``.
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

    /// Marks what is kept for a protection space as rejected: it is offered no more, and stays to be read and changed.
    ///
    /// - Throws: ``KeychainError``.
    public func remove(for space: ProtectionSpace) async throws {
        guard let (item, secret) = try await answer(to: space), case .password(let password) = secret,
            case .internetPassword(let kept, let user) = item.kind
        else { return }
        var rejected = NewItem.internetPassword(
            password, user: user, space: kept, label: item.label, comment: item.comment,
            accessibility: item.accessibility)
        rejected.isRejected = true
        try await replace(item.id, by: rejected)
    }

    /// The first item of the space that was not rejected, then of its origin, whose token answers Bearer, and whose password all others.
    private func answer(to space: ProtectionSpace) async throws -> (KeychainItem, ItemSecret)? {
        for place in [space, space.whole] {
            let found = try await first(Self.query(place)) { item in
                guard case .internetPassword(_, let user) = item.kind else { return false }
                return !item.isRejected && (!place.isWhole || (user == nil) == (space.method == .bearer))
            }
            if let found { return found }
        }
        return nil
    }

    private static func query(_ space: ProtectionSpace) -> KeychainQuery {
        var query = KeychainQuery(.internetPassword)
        query.protectionSpace = space
        return query
    }
}
