// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto

/// The proof that the owner of an account's key answers a challenge (RFC 8555 section 8.1).
public struct KeyAuthorization: Hashable, Sendable {
    /// The token, a dot, and the thumbprint of the account's key.
    public let text: String

    /// Makes the proof for a challenge.
    ///
    /// - Parameters:
    ///   - token: The token of the challenge.
    ///   - key: The public key of the account.
    public init(token: String, key: JSONWebKey) { text = token + "." + key.thumbprint }

    /// The SHA-256 of the text, which `tls-alpn-01` puts into a certificate (RFC 8737 section 3).
    public var digest: [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }

    /// The value of the TXT record of `dns-01` (RFC 8555 section 8.4).
    public var recordValue: String { Base64URL.encode(digest) }

    /// The path at which `http-01` expects the text, on port 80 of the server (RFC 8555 section 8.3).
    ///
    /// - Parameter token: The token of the challenge.
    /// - Returns: The absolute path, which begins with a slash.
    public static func path(token: String) -> String { "/.well-known/acme-challenge/" + token }

    /// The name of the TXT record of `dns-01` (RFC 8555 section 8.4).
    ///
    /// - Parameter name: A DNS name without `*.`.
    /// - Returns: The name with the label `_acme-challenge` in front.
    public static func recordName(for name: String) -> String { "_acme-challenge." + name }

    /// Whether a token is safe in a path and a record: base64url with at least 128 bits (RFC 8555 section 8.1).
    ///
    /// - Parameter token: The token of the challenge.
    /// - Returns: `true` for 22 to 256 characters of the base64url alphabet. No other text may become part of a file name or a command.
    public static func isToken(_ token: String) -> Bool {
        (22...256).contains(token.utf8.count)
            && token.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x2D || byte == 0x5F
            }
    }
}
