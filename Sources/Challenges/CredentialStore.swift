// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Keeps credentials for longer than a session lives, each under the protection space that accepted it.
///
/// Passwords and tokens come here when a server has accepted them, and go when it rejects them; what is read counts as
/// ``Credential/Persistence/permanent``, whatever it says. An implementation keeps them unreadable at rest.
public protocol CredentialStore: Sendable {
    /// What is kept for a space.
    ///
    /// - Parameter space: All of it counts: a credential of one realm is none of another.
    /// - Returns: `nil` where there is nothing.
    /// - Throws: Whatever keeps the store from answering; the session reports it and asks its handler.
    func read(for space: ProtectionSpace) async throws -> Credential?

    /// Keeps a credential in the place of the one that was there.
    ///
    /// - Parameters:
    ///   - credential: What the server accepted.
    ///   - space: What it is valid for.
    /// - Throws: Where it could not be kept; the session reports it.
    func save(_ credential: Credential, for space: ProtectionSpace) async throws

    /// Forgets what is kept for a space, if anything is.
    ///
    /// - Parameter space: Which rejected what was kept.
    /// - Throws: Where it could not be removed; the session reports it.
    func remove(for space: ProtectionSpace) async throws
}
