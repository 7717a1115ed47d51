// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The names of header fields and URL parameters whose values are secret.
///
/// Names are compared without regard to case, and without `-`, `_`, `.`, `[` and `]`. A percent-encoded name counts as
/// secret, because the encoding may disguise it. The rules hide too many values rather than too few; ``exceptions``
/// lists the names that are shown nevertheless.
package enum SecretNames {
    /// The names that are secret only as a complete name, not as a part of one.
    private static let exactNames = bytes(of: [
        "code", "sig", "sign", "pw", "sid", "otp", "totp", "pin", "hmac", "state", "nonce", "ticket",
        "verifier", "dpop",
        "googleaccessid",
    ])
    /// The texts that make a name secret anywhere in it: `X-Amz-Security-Token`, `X-Goog-Signature`, `Private-Token`,
    /// `AWSAccessKeyId`, `PHPSESSID`.
    private static let parts = bytes(of: [
        "token", "secret", "password", "passwd", "passphrase", "passcode", "apikey", "accesskey", "signature",
        "credential",
        "session", "auth", "cookie", "assertion", "sessid", "saml", "jwt", "csrf", "xsrf", "bearer", "codeverifier",
    ])
    /// The ``parts`` by their first byte.
    private static let partsByStart = (UInt8.min...UInt8.max).map { start in parts.filter { $0.first == start } }
    /// The texts that make a name secret at its end: `Ocp-Apim-Subscription-Key`, `X-Functions-Key`, `DB_PASS`.
    private static let ends = bytes(of: ["key", "pwd", "pass"])
    /// The names that are not secret, although the rules above match them.
    private static let exceptions = bytes(of: [
        // A random number that proves only that the server read the handshake (RFC 6455 section 1.3).
        "secwebsocketkey",
        // Identifies a repeated request, and authenticates nothing.
        "idempotencykey", "xidempotencykey",
        // Name entries of a cache.
        "surrogatekey", "cachekey", "xcachekey",
        "author", "authors", "authority", "authorized", "unauthorized", "authenticated", "unauthenticated",
    ])
    /// The other parameters of an Azure shared access signature, which are secret if `sig` is present.
    private static let sharedAccess = bytes(of: [
        "sv", "ss", "srt", "sr", "sp", "st", "se", "si", "sip", "spr", "skn", "skoid", "sktid", "skt", "ske", "sks",
        "skv", "sdd",
    ])

    /// Returns whether the name looks like that of a secret; `withSignature` states that the same URL has the
    /// parameter `sig`.
    package static func contain(_ name: some StringProtocol, withSignature: Bool = false) -> Bool {
        // Bytes are compared, because comparisons of characters take twenty times as long.
        let plain = name.lowercased().utf8.filter { !ignored.contains($0) }
        guard !exceptions.contains(plain) else { return false }
        return exactNames.contains(plain) || plain.contains(UInt8(ascii: "%"))
            || ends.contains { plain.suffix($0.count).elementsEqual($0) }
            || plain.indices.contains { index in
                partsByStart[Int(plain[index])].contains { plain[index...].starts(with: $0) }
            }
            || withSignature && sharedAccess.contains(plain)
    }

    /// The bytes that a comparison ignores.
    private static let ignored = Array("-_.[]".utf8)

    private static func bytes(of names: [String]) -> Set<[UInt8]> { Set(names.map { Array($0.utf8) }) }

    /// Returns whether a URL contains a shared access signature.
    static func haveSharedAccessSignature(in text: String) -> Bool {
        let lowercased = text.lowercased()
        return lowercased.containsBytes(of: "?sig=") || lowercased.containsBytes(of: "&sig=")
    }
}

extension String {
    /// Returns whether the bytes of an ASCII text occur in this text.
    ///
    /// `contains(_:)` compares characters, and its first call costs 2 % of the time of a short command run.
    func containsBytes(of text: String) -> Bool {
        var (own, sought) = (self, text)
        return own.withUTF8 { bytes in
            sought.withUTF8 { sought in
                bytes.indices.dropLast(max(0, sought.count - 1)).contains {
                    bytes[$0] == sought.first && bytes[$0...].starts(with: sought)
                }
            }
        }
    }
}
