// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto

/// A password, passphrase or token that clears its memory when it is released.
///
/// Two secrets compare in constant time, and none prints anything but `<redacted>`, whichever way it is printed.
public struct Secret: Sendable, Hashable {
    private let key: SymmetricKey

    /// Keeps the UTF-8 encoding of a text.
    ///
    /// The text itself is not cleared, as no `String` can be: take a secret in as bytes where that is possible.
    ///
    /// - Parameter text: The secret; it is not normalized (RFC 8265), so that the bytes are those that were typed.
    public init(_ text: String) {
        var text = text
        // Straight from the string's storage, so that no copy is left behind.
        key = text.withUTF8 { SymmetricKey(data: UnsafeRawBufferPointer($0)) }
    }

    /// Keeps bytes as they are.
    ///
    /// - Parameter bytes: The secret; a password's are its UTF-8 encoding.
    public init(utf8 bytes: [UInt8]) {
        key = SymmetricKey(data: bytes)
    }

    /// Whether there are no bytes; an empty password is not the same as no password.
    public var isEmpty: Bool { key.bitCount == 0 }

    /// Lends the bytes for the duration of a call; do not let the pointer escape it.
    ///
    /// - Parameter body: What to do with the bytes; a copy that it makes is not cleared.
    /// - Returns: What the body returns.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try key.withUnsafeBytes(body)
    }

    /// Compares in a time that depends on the lengths only.
    public static func == (left: Self, right: Self) -> Bool {
        left.key == right.key
    }

    /// Hashes the length alone, so that a table of secrets reveals nothing through its layout.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(key.bitCount)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `<redacted>`.
    public var description: String { "<redacted>" }

    /// Always `<redacted>`.
    public var debugDescription: String { description }

    /// Shows no children, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
