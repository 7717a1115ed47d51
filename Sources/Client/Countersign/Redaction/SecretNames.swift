// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Tells by its name whether a header field or a parameter of a URL holds a secret.
///
/// Names are compared without case and without `-`, `_`, `.`, `[` and `]`. A name that is percent-encoded counts as secret, because the
/// encoding may hide what it says. Rather too many values are hidden than too few; ``exceptions`` names what is shown all the same.
package enum SecretNames {
    /// Secret where they are the whole name.
    private static let whole: Set<String> = [
        "code", "sig", "sign", "pw", "pass", "sid", "otp", "totp", "pin", "hmac", "state", "nonce", "ticket",
        "verifier", "dpop",
        "googleaccessid",
    ]
    /// Secret wherever they stand in the name: `X-Amz-Security-Token`, `X-Goog-Signature`, `Private-Token`, `AWSAccessKeyId`.
    private static let parts = [
        "token", "secret", "password", "passwd", "passphrase", "passcode", "apikey", "accesskey", "signature",
        "credential",
        "session", "auth", "cookie", "assertion", "saml", "jwt", "csrf", "xsrf", "bearer", "codeverifier",
    ]
    /// Secret at the end of the name: `Ocp-Apim-Subscription-Key`, `X-Functions-Key`.
    private static let ends = ["key", "pwd"]
    /// Not secret, although the rules above match them.
    private static let exceptions: Set<String> = [
        // A random number that proves only that the server read the handshake (RFC 6455 section 1.3).
        "secwebsocketkey",
        // It names a request that is sent again, and authenticates nothing.
        "idempotencykey", "xidempotencykey",
        // They name entries of a cache.
        "surrogatekey", "cachekey", "xcachekey",
        "author", "authors", "authority",
    ]
    /// The other parameters of a shared access signature of Azure, which are part of it where `sig` is there.
    private static let sharedAccess: Set<String> = [
        "sv", "ss", "srt", "sr", "sp", "st", "se", "si", "sip", "spr", "skn", "skoid", "sktid", "skt", "ske", "sks",
        "skv", "sdd",
    ]

    /// Whether the name looks like that of a secret; `besideSignature` says that the same URL holds the parameter `sig`.
    package static func contain(_ name: some StringProtocol, besideSignature: Bool = false) -> Bool {
        let plain = name.lowercased().filter { !"-_.[]".contains($0) }
        guard !exceptions.contains(plain) else { return false }
        return whole.contains(plain) || plain.utf8.contains(UInt8(ascii: "%")) || ends.contains(where: plain.hasSuffix)
            || parts.contains { plain.containsBytes(of: $0) } || besideSignature && sharedAccess.contains(plain)
    }

    /// Whether a URL holds a shared access signature.
    static func areOfSharedAccessSignature(in text: String) -> Bool {
        let lowercased = text.lowercased()
        return lowercased.containsBytes(of: "?sig=") || lowercased.containsBytes(of: "&sig=")
    }
}

extension String {
    /// Whether the bytes of an ASCII text occur in this one.
    ///
    /// `contains(_:)` compares characters, and its first call costs a short run of the command 2 % of its time.
    func containsBytes(of text: String) -> Bool {
        utf8.indices.contains { utf8[$0...].starts(with: text.utf8) }
    }
}
