// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Secrets

/// A place outside the keychain that keeps a random key for a key slot, such as the desktop's Secret Service.
public protocol KeyHolder: Sendable {
    /// The key that is kept under a name, or a new one that is kept from now on.
    ///
    /// - Parameters:
    ///   - name: The keychain's number and the slot's, in hexadecimal.
    ///   - newKey: What is to be kept; `nil` where nothing is to be changed.
    /// - Returns: `nil` where nothing is kept and nothing was given.
    /// - Throws: Whatever keeps the place from answering.
    func key(named name: String, keeping newKey: Secret?) async throws -> Secret?
}
