// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto

/// A password, passphrase or token that clears its memory when it is released.
///
/// Two secrets compare in constant time, and none prints anything but `<redacted>`, whichever way it is printed.
public struct Secret: Sendable, Hashable {
    private let key: SymmetricKey

    /// Keeps the UTF-8 encoding of a text.
    public init(_ text: String) {
        self.init(utf8: Array(text.utf8))
    }

    /// Keeps bytes as they are.
    ///
    /// - Parameter bytes: The secret; a password's are its UTF-8 encoding.
    public init(utf8 bytes: [UInt8]) {
        key = SymmetricKey(data: bytes)
    }

    /// Lends the bytes for the duration of a call; do not let the pointer escape it.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try key.withUnsafeBytes(body)
    }

    /// Compares in constant time.
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
