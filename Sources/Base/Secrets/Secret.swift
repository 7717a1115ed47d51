// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto

/// A password, passphrase or token that clears its memory when it is released.
///
/// Two secrets are compared in constant time. However a secret is printed, the output is `<redacted>`.
public struct Secret: Sendable, Hashable {
    private let key: SymmetricKey

    /// Keeps the UTF-8 encoding of a text.
    ///
    /// A `String` cannot be cleared, so the text itself is not: pass the secret as bytes where that is possible.
    ///
    /// - Parameter text: The secret; it is not normalized (RFC 8265), so that the bytes are those that the user typed.
    public init(_ text: String) {
        var text = text
        // Straight from the string's storage, so that no copy is left behind.
        key = text.withUTF8 { SymmetricKey(data: UnsafeRawBufferPointer($0)) }
    }

    /// Keeps bytes as they are.
    ///
    /// - Parameter bytes: The secret; for a password, its UTF-8 encoding.
    public init(utf8 bytes: [UInt8]) {
        key = SymmetricKey(data: bytes)
    }

    /// Whether the secret has no bytes; an empty password is not the same as no password.
    public var isEmpty: Bool { key.bitCount == 0 }

    /// Lends the bytes for the duration of a call.
    ///
    /// The pointer is not valid after it.
    ///
    /// - Parameter body: Receives the bytes; a copy that it makes is not cleared.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try key.withUnsafeBytes(body)
    }

    /// Compares two secrets in a time that depends only on their lengths.
    public static func == (left: Self, right: Self) -> Bool {
        left.key == right.key
    }

    /// Hashes the length alone, so that a table of secrets reveals nothing through its layout.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(key.bitCount)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Returns `<redacted>`, so that printing a secret never reveals it.
    public var description: String { "<redacted>" }

    /// Returns `<redacted>`, so that debugging output never reveals a secret.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` never reveals a secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

// Kept out of line so that the compiler does not remove it as a store without a reader.

extension Array where Element: FixedWidthInteger {
    /// Overwrites what was secret.
    @inline(never)
    package mutating func erase() {
        for index in indices { self[index] = 0 }
    }
}

extension [Unicode.Scalar] {
    /// Overwrites what was secret.
    @inline(never)
    package mutating func erase() {
        for index in indices { self[index] = "\0" }
    }
}
