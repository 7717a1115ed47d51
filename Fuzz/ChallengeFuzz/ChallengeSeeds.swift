// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Fields that servers send.
enum ChallengeSeeds {
    static let all = [
        "Basic realm=\"a\", charset=\"UTF-8\"",
        "Negotiate\nNTLM\nBasic realm=\"a\"",
        "Negotiate YII=, Basic realm=\"a \\\"b\\\" \\\\\", NTLM TlRMTVNTUAACAAAA==",
        "Digest realm=\"r\", nonce=\"n\", qop=\"auth, auth-int\", algorithm=SHA-256, opaque=\"o\", userhash=true\n"
            + "Digest realm=\"r\", nonce=\"m\", qop=\"auth\", algorithm=MD5\n!nextnonce=\"n2\", qop=auth, nc=00000001",
        "Digest realm=\"r\", nonce=\"n\", qop=\"auth-int\", algorithm=SHA-512-256-sess, charset=UTF-8\n"
            + "!rspauth=\"0\", cnonce=\"c\", nc=00000001, qop=auth-int",
        "Digest realm=r, nonce=\"\", stale=TRUE, domain=\"/ https://a.test/\"\n!nextnonce=\"\\\"\\\\\"",
        "Bearer realm=\"https://auth.test/token\",service=\"registry.test\",scope=\"repository:a/b:pull,push\"",
        "SCRAM-SHA-256 realm=\"a\", sid=x\nSCRAM-SHA-256 sid=x, data=cj0=\n!sid=x, data=dj0=",
        "NTLM\nNTLM TlRMTVNTUAACAAAAAAAAADgAAAABAogAAQIDBAUGBwgAAAAAAAAAAAAAAAA4AAAA",
    ]
}
