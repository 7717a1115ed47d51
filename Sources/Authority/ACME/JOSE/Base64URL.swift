// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Encodings

/// The base64 of JOSE: the URL alphabet without padding (RFC 7515 section 2 and appendix C).
public enum Base64URL {
    /// Encodes bytes.
    ///
    /// - Parameter bytes: Any bytes.
    /// - Returns: The text, without padding.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String { Base64.encode(bytes, as: .url) }

    /// Decodes a text strictly, so that a sequence of bytes has exactly one encoding that is read.
    ///
    /// - Parameter text: The encoding, without padding and white space.
    /// - Returns: The bytes; `nil` for another alphabet, an impossible length, or bits behind the last byte that are not zero.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? { Base64.decode(text, as: .url) }
}
