// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
internal import EssentialFoundation
internal import Identities
internal import Secrets
internal import X509

extension ProtectionSpace {
    /// Returns the protection space of an entire origin or proxy, for a login whose realm and method are unknown.
    public static func entireOrigin(host: HostName, port: Int, scheme: String, role: Role = .origin) -> ProtectionSpace
    {
        ProtectionSpace(host: host, port: port, scheme: scheme, realm: nil, method: .any, role: role)
    }

    /// The spaces whose logins can answer a challenge in this space, from the narrowest to the entire origin or proxy.
    fileprivate var candidateSpaces: [ProtectionSpace] {
        var spaces: [ProtectionSpace] = []
        for realm in realm == nil ? [nil] : [realm, nil] {
            for method in [method, .any] {
                spaces.append(
                    ProtectionSpace(
                        host: host, port: port, scheme: scheme, realm: realm, method: method, role: role))
            }
        }
        return spaces
    }
}

extension AuthenticationMethod {
    /// The method of a login that is valid for every method.
    package static let any = Self("*")
}

extension UnlockedKeychain: CredentialStore {
    /// Returns the newest password or token for a protection space, or else for its realm, its method, or its entire
    /// origin or proxy; `nil` if there is none.
    ///
    /// Credentials that a server has rejected are left out.
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

    /// Stores a password or token in place of that of the same user; other kinds of credentials are not stored.
    ///
    /// A rejected login of the same user is updated, even if it is for the entire origin or proxy.
    ///
    /// - Throws: ``KeychainError``, such as ``KeychainError/unlockNeeded``.
    public func save(_ credential: Credential, for space: ProtectionSpace) async throws {
        // A login for the entire origin may already hold the credential.
        if try await read(for: space) == credential { return }
        switch credential.kind {
        case .password(let user, let password): try await save(password, of: user, for: space)
        case .token(let token): try await save(token, of: nil, for: space)
        case .currentUser, .identity, .encodedIdentity, .serverTrust: break
        }
    }

    private func save(_ secret: Secret, of user: String?, for space: ProtectionSpace) async throws {
        try await write(.now) { writer in
            var place = space
            for wider in space.candidateSpaces {
                let known = try writer.reader.listing(Self.query(wider)).items.filter {
                    $0.kind == .internetPassword(wider, user: user)
                }
                if known.contains(where: { $0.isRejected || wider == space }) {
                    place = wider
                    break
                }
            }
            var new = NewItem.internetPassword(secret, user: user, space: place, accessibility: .afterFirstUnlock)
            new.keepsStoredAccessibility = true
            _ = try writer.store([new], replaces: true)
        }
    }

    /// Marks the password or token of a protection space as rejected, so that it is no longer used; it can still be
    /// read and changed.
    ///
    /// - Throws: ``KeychainError``, such as ``KeychainError/unlockNeeded``.
    public func remove(for space: ProtectionSpace) async throws {
        try await editNewest(Self.queries(space), where: Self.isAnswer(to: space)) { item, secret in
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

    /// Returns the newest item that was not rejected, from the narrowest space that has one.
    ///
    /// In a space for every method, tokens are for methods that carry only tokens, and passwords for all others.
    private func answer(to space: ProtectionSpace) async throws -> (KeychainItem, ItemSecret)? {
        try await newest(Self.queries(space), where: Self.isAnswer(to: space))
    }

    private static func queries(_ space: ProtectionSpace) -> [KeychainQuery] { space.candidateSpaces.map(query) }

    private static func isAnswer(
        to space: ProtectionSpace
    ) -> @Sendable (KeychainItem, KeychainQuery) -> Bool {
        let carriesToken = space.method.traits.carries == .token
        return { item, query in
            guard case .internetPassword(_, let user) = item.kind else { return false }
            return !item.isRejected
                && (query.protectionSpace?.method != .any || (user == nil) == carriesToken)
        }
    }

    private static func query(_ space: ProtectionSpace) -> KeychainQuery {
        var query = KeychainQuery(.internetPassword)
        query.protectionSpace = space
        return query
    }
}

extension UnlockedKeychain {
    /// The trust settings of the keychain's certificates, for the policies of a session.
    ///
    /// Damage may hide a pin or a distrusted certificate, so this property throws unless the damage certainly affects
    /// other items. Hosts that are neither names nor addresses are left out, and so are certificates for such hosts
    /// only.
    ///
    /// - Throws: ``KeychainError``; ``KeychainError/damagedItem(_:)`` and ``KeychainError/damaged(_:)`` if a setting
    ///   may be missing.
    public var trustSettings: TrustSettings {
        get async throws {
            TrustSettings(
                try await complete(.certificate).compactMap { item, secret in
                    guard case .certificate(_, let setting, let hosts) = item.kind,
                        case .certificate(let certificate) = secret
                    else { return nil }
                    let names = hosts.compactMap { try? HostName($0) }
                    // An empty host list means all hosts, so a setting whose hosts are all invalid must be left out.
                    guard hosts.isEmpty || !names.isEmpty else { return nil }
                    return TrustSettings.Entry(certificate, setting, hosts: names)
                })
        }
    }

    /// The keychain's identities that can be read now, for an `IdentityChoice`, with one candidate for each host of an
    /// identity.
    ///
    /// - Throws: ``KeychainError``; ``KeychainError/damagedItem(_:)`` and ``KeychainError/damaged(_:)`` if an identity
    ///   may have been reverted to an earlier version, which may be for other hosts.
    public var identities: [IdentityChoice.Candidate] {
        get async throws {
            try await all(.identity).flatMap { item, secret in
                guard case .identity(_, let hosts) = item.kind, case .identity(let identity) = secret else {
                    return [IdentityChoice.Candidate]()
                }
                return hosts.isEmpty
                    ? [IdentityChoice.Candidate(identity)] : hosts.map { IdentityChoice.Candidate(identity, host: $0) }
            }
        }
    }
}
