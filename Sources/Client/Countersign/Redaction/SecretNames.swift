// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The names of header fields and URL parameters whose values are secret.
///
/// Names are compared without regard to case, and without `-`, `_`, `.`, `[` and `]`. A percent-encoded name counts as
/// secret, because the encoding may disguise it. The rules hide too many values rather than too few; ``exceptions``
/// lists the names that are shown nevertheless.
package enum SecretNames {
    /// The names that are secret only as a complete name, not as a part of one.
    private static let exactNames: Set<String> = [
        "code", "sig", "sign", "pw", "sid", "otp", "totp", "pin", "hmac", "state", "nonce", "ticket",
        "verifier", "dpop",
        "googleaccessid",
    ]
    /// The texts that make a name secret anywhere in it: `X-Amz-Security-Token`, `X-Goog-Signature`, `Private-Token`,
    /// `AWSAccessKeyId`, `PHPSESSID`.
    private static let parts = [
        "token", "secret", "password", "passwd", "passphrase", "passcode", "apikey", "accesskey", "signature",
        "credential",
        "session", "auth", "cookie", "assertion", "sessid", "saml", "jwt", "csrf", "xsrf", "bearer", "codeverifier",
    ]
    /// The texts that make a name secret at its end: `Ocp-Apim-Subscription-Key`, `X-Functions-Key`, `DB_PASS`.
    private static let ends = ["key", "pwd", "pass"]
    /// The names that are not secret, although the rules above match them.
    private static let exceptions: Set<String> = [
        // A random number that proves only that the server read the handshake (RFC 6455 section 1.3).
        "secwebsocketkey",
        // Identifies a repeated request, and authenticates nothing.
        "idempotencykey", "xidempotencykey",
        // Name entries of a cache.
        "surrogatekey", "cachekey", "xcachekey",
        "author", "authors", "authority", "authorized", "unauthorized", "authenticated", "unauthenticated",
    ]
    /// The other parameters of an Azure shared access signature, which are secret if `sig` is present.
    private static let sharedAccess: Set<String> = [
        "sv", "ss", "srt", "sr", "sp", "st", "se", "si", "sip", "spr", "skn", "skoid", "sktid", "skt", "ske", "sks",
        "skv", "sdd",
    ]

    /// Returns whether the name looks like that of a secret; `withSignature` states that the same URL has the
    /// parameter `sig`.
    package static func contain(_ name: some StringProtocol, withSignature: Bool = false) -> Bool {
        let plain = name.lowercased().filter { !"-_.[]".contains($0) }
        guard !exceptions.contains(plain) else { return false }
        return exactNames.contains(plain) || plain.utf8.contains(UInt8(ascii: "%"))
            || ends.contains(where: plain.hasSuffix)
            || parts.contains { plain.containsBytes(of: $0) } || withSignature && sharedAccess.contains(plain)
    }

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
        utf8.indices.contains { utf8[$0...].starts(with: text.utf8) }
    }
}
