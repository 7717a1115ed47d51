// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Secrets

/// A place outside the keychain that keeps a random key for a key slot, such as the desktop's Secret Service.
public protocol KeyHolder: Sendable {
    /// Reads the key that is kept under a name, or keeps a new one in its place.
    ///
    /// - Parameters:
    ///   - name: The numbers of the keychain and of the slot, in hexadecimal.
    ///   - newKey: The key to keep from now on; `nil` to read the one that is kept.
    /// - Returns: The key that is kept now; `nil` for none.
    /// - Throws: An error where the place cannot be reached or refuses; it is thrown on to the caller of the keychain.
    func key(named name: String, keeping newKey: Secret?) async throws -> Secret?
}
