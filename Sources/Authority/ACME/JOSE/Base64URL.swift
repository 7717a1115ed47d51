// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Encodings

/// The base64url encoding of JOSE, without padding (RFC 7515 section 2 and appendix C).
public enum Base64URL {
    /// Encodes bytes.
    ///
    /// - Parameter bytes: Any bytes.
    /// - Returns: The text, without padding.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String { Base64.encode(bytes, as: .url) }

    /// Decodes a text strictly: only one encoding of a byte sequence is accepted.
    ///
    /// - Parameter text: The encoding, without padding and white space.
    /// - Returns: The bytes; `nil` if the text has another alphabet, an impossible length, or trailing bits that are
    ///   not zero.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? { Base64.decode(text, as: .url) }
}
