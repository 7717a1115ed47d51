// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Keeps credentials for longer than a session lives, each under the protection space that accepted it.
///
/// The session saves a password or a token when a server has accepted it, and removes it when a server rejects it. A credential that is
/// read counts as ``Credential/Persistence/permanent``, whatever its own persistence. An implementation must not keep the credentials in
/// readable form.
public protocol CredentialStore: Sendable {
    /// Returns the credential that is kept for a space.
    ///
    /// - Parameter space: The protection space. All its properties count: a credential of one realm is not valid in another.
    /// - Returns: The credential; `nil` where none is kept.
    /// - Throws: An error where the store cannot be read. The session reports the error as an event, and asks its handler.
    func read(for space: ProtectionSpace) async throws -> Credential?

    /// Keeps a credential, which replaces the one kept for the space before.
    ///
    /// - Parameters:
    ///   - credential: The credential that the server accepted.
    ///   - space: The protection space that the credential is valid for.
    /// - Throws: An error where the credential cannot be kept. The session reports the error as an event.
    func save(_ credential: Credential, for space: ProtectionSpace) async throws

    /// Removes the credential that is kept for a space, if there is one.
    ///
    /// - Parameter space: The protection space that rejected the credential.
    /// - Throws: An error where the credential cannot be removed. The session reports the error as an event.
    func remove(for space: ProtectionSpace) async throws
}
