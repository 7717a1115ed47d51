// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges

extension LabServer.Kind {
    // MARK: Authentication

    static let authenticationKinds: [Self] = [
        .basic, .digestMD5, .digestMD5Session, .digestLegacy, .digestSHA256, .digestSHA256Session, .digestSHA512Half,
        .digestAuthInt, .digestUserHash, .digestStaleNonce, .digestNextNonce, .digestWrongProof,
        .digestUnknownAlgorithm, .scramSHA256, .scramWrongProof, .bearer, .ntlm, .ntlmUnbound, .basicOrDigest,
        .twoDigests, .unknownOrBasic, .negotiateOrBasic, .wrongPasswordForever,
    ]

    /// Presents 401 with Basic.
    public static let basic = guarded("basic", .basic, "401 with Basic") { _ in Self.basicGate() }

    /// Presents 401 with Digest, MD5.
    public static let digestMD5 = guarded("digest-md5", .digest, "401 with Digest, MD5") { _ in Self.digestGate(.md5) }

    /// Presents 401 with Digest, MD5-sess.
    public static let digestMD5Session = guarded("digest-md5-sess", .digest, "401 with Digest, MD5-sess") { _ in
        Self.digestGate(.md5, [.hashesSessions])
    }

    /// Presents 401 with Digest as in RFC 2069: MD5, no qop.
    public static let digestLegacy = guarded("digest-legacy", .digest, "401 with Digest as in RFC 2069: MD5, no qop") {
        _ in
        Self.digestGate(.md5, [.asksForNoQuality])
    }

    /// Presents 401 with Digest, SHA-256.
    public static let digestSHA256 = guarded("digest-sha-256", .digest, "401 with Digest, SHA-256") { _ in
        Self.digestGate(.sha256)
    }

    /// Presents 401 with Digest, SHA-256-sess.
    public static let digestSHA256Session = guarded("digest-sha-256-sess", .digest, "401 with Digest, SHA-256-sess") {
        _ in Self.digestGate(.sha256, [.hashesSessions])
    }

    /// Presents 401 with Digest, SHA-512-256.
    public static let digestSHA512Half = guarded("digest-sha-512-256", .digest, "401 with Digest, SHA-512-256") { _ in
        Self.digestGate(.sha512Half)
    }

    /// Presents 401 with Digest, SHA-256, over the body too.
    public static let digestAuthInt = guarded("digest-auth-int", .digest, "401 with Digest, SHA-256, over the body too")
    { _ in
        Self.digestGate(.sha256, quality: "auth-int")
    }

    /// Presents 401 with Digest, SHA-256, the user's name hashed.
    public static let digestUserHash = guarded(
        "digest-user-hash", .digest, "401 with Digest, SHA-256, the user's name hashed"
    ) { _ in
        Self.digestGate(.sha256, [.hashesUsers])
    }

    /// Presents 401 with Digest, SHA-256; the first nonce is stale.
    public static let digestStaleNonce = guarded(
        "digest-stale-nonce", .digest, "401 with Digest, SHA-256; the first nonce is stale"
    ) { _ in
        Self.digestGate(.sha256, [.callsFirstNonceStale])
    }

    /// Presents 401 with Digest, SHA-256; each nonce is good for one request.
    public static let digestNextNonce = guarded(
        "digest-next-nonce", .digest, "401 with Digest, SHA-256; each nonce is good for one request"
    ) { _ in
        Self.digestGate(.sha256, information: .proofAndNextNonce)
    }

    /// Presents 401 with Digest, SHA-256, from a server that does not know the password.
    public static let digestWrongProof = guarded(
        "digest-wrong-proof", .digest, "401 with Digest, SHA-256, from a server that does not know the password",
        expect: .notAuthenticated, code: "authentication.server-not-proven"
    ) { _ in
        Self.digestGate(.sha256, information: .wrongProof)
    }

    /// Presents 401 with Digest and an algorithm that does not exist.
    public static let digestUnknownAlgorithm = guarded(
        "digest-unknown-algorithm", nil, "401 with Digest and an algorithm that does not exist",
        expect: .notAuthenticated
    ) { _ in
        RefusingGate(
            "Digest realm=\"\(Self.realm)\", qop=\"auth\", algorithm=SHA-1024, nonce=\"1\", opaque=\"1\"")
    }

    /// Presents 401 with SCRAM-SHA-256.
    public static let scramSHA256 = guarded("scram-sha-256", .scramSHA256, "401 with SCRAM-SHA-256") { _ in
        try SCRAMGate(realm: Self.realm, accepted: .lab)
    }

    /// Presents 401 with SCRAM-SHA-256, from a server that does not know the password.
    public static let scramWrongProof = guarded(
        "scram-wrong-proof", .scramSHA256, "401 with SCRAM-SHA-256, from a server that does not know the password",
        expect: .notAuthenticated, code: "authentication.server-not-proven"
    ) { _ in
        try SCRAMGate(realm: Self.realm, accepted: .lab, information: .wrongProof)
    }

    /// Presents 401 with Bearer; a token that is not the lab's has expired.
    public static let bearer = guarded("bearer", .bearer, "401 with Bearer; a token that is not the lab's has expired")
    { _ in
        BearerGate(realm: Self.realm, accepted: LabCredentials.token)
    }

    /// Presents 401 with NTLM, version 2, with an integrity code, bound to the certificate.
    public static let ntlm = guarded(
        "ntlm", .ntlm, "401 with NTLM, version 2, with an integrity code, bound to the certificate"
    ) {
        NTLMGate(try NTLMTerms(boundTo: $0.certificate, hosts: $0.names))
    }

    /// Presents 401 with NTLM, version 2, without an integrity code and a binding.
    public static let ntlmUnbound = guarded(
        "ntlm-unbound", .ntlm, "401 with NTLM, version 2, without an integrity code and a binding"
    ) {
        NTLMGate(try NTLMTerms(omitting: .timestamp, hosts: $0.names))
    }

    /// Presents 401 with Basic and Digest, SHA-256; an answer to the weaker is refused.
    public static let basicOrDigest = guarded(
        "basic-or-digest", .digest, "401 with Basic and Digest, SHA-256; an answer to the weaker is refused"
    ) { _ in
        ChoiceGate(weaker: [Self.basicGate()], strongest: Self.digestGate(.sha256))
    }

    /// Presents 401 with Digest, MD5 and SHA-256; an answer to the weaker is refused.
    public static let twoDigests = guarded(
        "two-digests", .digest, "401 with Digest, MD5 and SHA-256; an answer to the weaker is refused"
    ) { _ in
        ChoiceGate(weaker: [Self.digestGate(.md5)], strongest: Self.digestGate(.sha256))
    }

    /// Presents 401 with an unknown scheme and Basic.
    public static let unknownOrBasic = guarded("unknown-or-basic", .basic, "401 with an unknown scheme and Basic") {
        _ in
        ChoiceGate(weaker: [RefusingGate("Unknown realm=\"a, Basic\"")], strongest: Self.basicGate())
    }

    /// Presents 401 with Negotiate, for which there is no Kerberos, and Basic.
    public static let negotiateOrBasic = guarded(
        "negotiate-or-basic", .basic, "401 with Negotiate, for which there is no Kerberos, and Basic"
    ) { _ in
        ChoiceGate(weaker: [RefusingGate("Negotiate")], strongest: Self.basicGate())
    }

    /// Presents 401 with Basic, and accepts no password.
    public static let wrongPasswordForever = guarded(
        "wrong-password-forever", .basic, "401 with Basic, whatever the password", expect: .notAuthenticated
    ) { _ in
        BasicGate(realm: Self.realm, accepted: nil)
    }

    // MARK: Proxies

    static let proxyKinds: [Self] = [
        .proxyOpen, .proxyBasic, .proxyDigest, .proxyNTLM, .proxyTLS, .proxyUntrusted, .proxySOCKS, .proxySOCKSPassword,
    ]

    /// A proxy that asks for nothing.
    public static let proxyOpen = proxy("proxy-open", "a proxy that asks for nothing")

    /// A proxy that presents 407 with Basic.
    public static let proxyBasic = proxy("proxy-basic", "a proxy: 407 with Basic", method: .basic) { _ in
        BasicGate(realm: Self.proxyRealm, accepted: .lab)
    }

    /// A proxy that presents 407 with Digest, SHA-256.
    public static let proxyDigest = proxy("proxy-digest", "a proxy: 407 with Digest, SHA-256", method: .digest) { _ in
        DigestGate(realm: Self.proxyRealm, accepted: .lab, hash: .sha256)
    }

    /// A proxy that presents 407 with NTLM, version 2, with an integrity code.
    public static let proxyNTLM = proxy(
        "proxy-ntlm", "a proxy: 407 with NTLM, version 2, with an integrity code", method: .ntlm
    ) { _ in
        NTLMGate(try NTLMTerms())
    }

    /// A proxy that is reached over TLS.
    public static let proxyTLS = proxy("proxy-tls", "a proxy that is reached over TLS", tls: .init())

    /// A proxy that is reached over TLS, with a chain of an unknown root.
    public static let proxyUntrusted = proxy(
        "proxy-untrusted", "a proxy that is reached over TLS, of an unknown root",
        tls: .init(chain: { try $0.server(of: $0.stranger) })
    )
    .expecting(.notTrusted, "trust.issuer-not-found")

    /// A proxy of SOCKS 5 that asks for nothing.
    public static let proxySOCKS = socks("proxy-socks", "a proxy of SOCKS 5 that asks for nothing", .open)

    /// A proxy of SOCKS 5 that asks for a user and a password.
    public static let proxySOCKSPassword = socks(
        "proxy-socks-password", "a proxy of SOCKS 5 that asks for a user and a password", method: .socksPassword,
        .login(.lab))

    // MARK: Gates

    private static let realm = "Countersign lab"
    private static let proxyRealm = "Countersign lab proxy"

    static func basicGate() -> BasicGate { BasicGate(realm: realm, accepted: .lab) }

    private static func digestGate(
        _ hash: DigestHash, _ habits: DigestGate.Habits = [], quality: String = "auth",
        information: DigestGate.Information = .proof
    ) -> DigestGate {
        DigestGate(
            realm: realm, accepted: .lab, hash: hash, quality: quality, information: information, habits: habits)
    }
}
