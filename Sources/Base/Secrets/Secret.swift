// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto

/// A password, passphrase or token that clears its memory when it is released.
///
/// Secrets are compared in constant time. Every textual representation of a secret is `<redacted>`.
public struct Secret: Sendable, Hashable {
    private let key: SymmetricKey

    /// Stores the UTF-8 encoding of a text.
    ///
    /// A `String` cannot be cleared, so the original text remains in memory; pass the secret as bytes if possible.
    ///
    /// - Parameter text: The secret; it is not normalized (RFC 8265), so that its bytes are those that the user typed.
    public init(_ text: String) {
        var text = text
        // The bytes are read from the string's storage, so that no copy remains in memory.
        key = text.withUTF8 { SymmetricKey(data: UnsafeRawBufferPointer($0)) }
    }

    /// Stores bytes unchanged.
    ///
    /// - Parameter bytes: The secret; for a password, its UTF-8 encoding.
    public init(utf8 bytes: [UInt8]) {
        key = SymmetricKey(data: bytes)
    }

    /// Whether the secret has no bytes; an empty password is not the same as no password.
    public var isEmpty: Bool { key.bitCount == 0 }

    /// Calls a closure with the bytes.
    ///
    /// The pointer is valid only during the call.
    ///
    /// - Parameter body: A closure that receives the bytes; copies that it makes are not cleared.
    /// - Returns: The result of the closure.
    /// - Throws: The closure's error.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try key.withUnsafeBytes(body)
    }

    /// Compares two secrets in a time that depends only on their lengths.
    public static func == (left: Self, right: Self) -> Bool {
        left.key == right.key
    }

    /// Hashes only the length, so that the layout of a hash table reveals nothing about its secrets.
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

// The methods are not inlined, so that the compiler does not remove the writes as dead stores.

extension Array where Element: FixedWidthInteger {
    /// Overwrites the secret elements with zeros.
    @inline(never)
    package mutating func erase() {
        for index in indices { self[index] = 0 }
    }
}

extension [Unicode.Scalar] {
    /// Overwrites the secret scalars with zeros.
    @inline(never)
    package mutating func erase() {
        for index in indices { self[index] = "\0" }
    }
}
