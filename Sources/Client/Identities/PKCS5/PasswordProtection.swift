// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The description of an encryption or an integrity check by password (RFC 8018, RFC 7292).
public struct PasswordProtection: Hashable, Sendable {
    /// The algorithms, such as "PBES2 with AES-256-CBC and PBKDF2 with HMAC-SHA-256".
    public let name: String
    /// The iterations of the key derivation; `nil` for scrypt, which has a cost instead.
    public let iterations: Int?
}
