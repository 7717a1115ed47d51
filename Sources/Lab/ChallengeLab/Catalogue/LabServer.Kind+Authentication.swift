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

    /// A server that requires Basic authentication.
    public static let basic = guarded("basic", .basic, "401 with Basic") { _ in Self.basicGate() }

    /// A server that requires Digest authentication with MD5.
    public static let digestMD5 = guarded("digest-md5", .digest, "401 with Digest, MD5") { _ in Self.digestGate(.md5) }

    /// A server that requires Digest authentication with MD5-sess.
    public static let digestMD5Session = guarded("digest-md5-sess", .digest, "401 with Digest, MD5-sess") { _ in
        Self.digestGate(.md5, [.hashesSessions])
    }

    /// A server that requires Digest authentication as in RFC 2069: with MD5 and without qop.
    public static let digestLegacy = guarded("digest-legacy", .digest, "401 with Digest as in RFC 2069: MD5, no qop") {
        _ in
        Self.digestGate(.md5, [.omitsQualityOfProtection])
    }

    /// A server that requires Digest authentication with SHA-256.
    public static let digestSHA256 = guarded("digest-sha-256", .digest, "401 with Digest, SHA-256") { _ in
        Self.digestGate(.sha256)
    }

    /// A server that requires Digest authentication with SHA-256-sess.
    public static let digestSHA256Session = guarded("digest-sha-256-sess", .digest, "401 with Digest, SHA-256-sess") {
        _ in Self.digestGate(.sha256, [.hashesSessions])
    }

    /// A server that requires Digest authentication with SHA-512-256.
    public static let digestSHA512Half = guarded("digest-sha-512-256", .digest, "401 with Digest, SHA-512-256") { _ in
        Self.digestGate(.sha512Half)
    }

    /// A server that requires Digest authentication with SHA-256 and integrity protection of the body.
    public static let digestAuthInt = guarded(
        "digest-auth-int", .digest, "401 with Digest, SHA-256, with integrity protection of the body"
    ) { _ in
        Self.digestGate(.sha256, quality: "auth-int")
    }

    /// A server that requires Digest authentication with SHA-256 and a hashed user name.
    public static let digestUserHash = guarded(
        "digest-user-hash", .digest, "401 with Digest, SHA-256, the user's name hashed"
    ) { _ in
        Self.digestGate(.sha256, [.hashesUsers])
    }

    /// A server that requires Digest authentication with SHA-256, and reports the first nonce as stale.
    public static let digestStaleNonce = guarded(
        "digest-stale-nonce", .digest, "401 with Digest, SHA-256; the first nonce is stale"
    ) { _ in
        Self.digestGate(.sha256, [.rejectsFirstNonce])
    }

    /// A server that requires Digest authentication with SHA-256, and accepts each nonce for only one request.
    public static let digestNextNonce = guarded(
        "digest-next-nonce", .digest, "401 with Digest, SHA-256; each nonce is good for one request"
    ) { _ in
        Self.digestGate(.sha256, information: .proofAndNextNonce)
    }

    /// A server that requires Digest authentication with SHA-256, but does not know the password itself.
    public static let digestWrongProof = guarded(
        "digest-wrong-proof", .digest, "401 with Digest, SHA-256, from a server that does not know the password",
        expect: .notAuthenticated, code: "authentication.server-not-proven"
    ) { _ in
        Self.digestGate(.sha256, information: .wrongProof)
    }

    /// A server that requires Digest authentication with an unknown algorithm.
    public static let digestUnknownAlgorithm = guarded(
        "digest-unknown-algorithm", nil, "401 with Digest and an algorithm that does not exist",
        expect: .notAuthenticated
    ) { _ in
        RefusingGate(
            "Digest realm=\"\(Self.realm)\", qop=\"auth\", algorithm=SHA-1024, nonce=\"1\", opaque=\"1\"")
    }

    /// A server that requires SCRAM-SHA-256 authentication.
    public static let scramSHA256 = guarded("scram-sha-256", .scramSHA256, "401 with SCRAM-SHA-256") { _ in
        try SCRAMGate(realm: Self.realm, accepted: .lab)
    }

    /// A server that requires SCRAM-SHA-256 authentication, but does not know the password itself.
    public static let scramWrongProof = guarded(
        "scram-wrong-proof", .scramSHA256, "401 with SCRAM-SHA-256, from a server that does not know the password",
        expect: .notAuthenticated, code: "authentication.server-not-proven"
    ) { _ in
        try SCRAMGate(realm: Self.realm, accepted: .lab, information: .wrongProof)
    }

    /// A server that requires Bearer authentication, and reports every other token as expired.
    public static let bearer = guarded("bearer", .bearer, "401 with Bearer; a token that is not the lab's has expired")
    { _ in
        BearerGate(realm: Self.realm, accepted: LabCredentials.token)
    }

    /// A server that requires NTLMv2 authentication with an integrity code and a channel binding to its certificate.
    public static let ntlm = guarded(
        "ntlm", .ntlm, "401 with NTLM, version 2, with an integrity code, bound to the certificate"
    ) {
        NTLMGate(try NTLMTerms(boundTo: $0.certificate, hosts: $0.names))
    }

    /// A server that requires NTLMv2 authentication without an integrity code and a channel binding.
    public static let ntlmUnbound = guarded(
        "ntlm-unbound", .ntlm, "401 with NTLM, version 2, without an integrity code and a binding"
    ) {
        NTLMGate(try NTLMTerms(omitting: .timestamp, hosts: $0.names))
    }

    /// A server that offers Basic and Digest with SHA-256, and refuses Basic.
    public static let basicOrDigest = guarded(
        "basic-or-digest", .digest, "401 with Basic and Digest, SHA-256; an answer to the weaker is refused"
    ) { _ in
        ChoiceGate(weaker: [Self.basicGate()], strongest: Self.digestGate(.sha256))
    }

    /// A server that offers Digest with MD5 and with SHA-256, and refuses MD5.
    public static let twoDigests = guarded(
        "two-digests", .digest, "401 with Digest, MD5 and SHA-256; an answer to the weaker is refused"
    ) { _ in
        ChoiceGate(weaker: [Self.digestGate(.md5)], strongest: Self.digestGate(.sha256))
    }

    /// A server that offers an unknown scheme and Basic.
    public static let unknownOrBasic = guarded("unknown-or-basic", .basic, "401 with an unknown scheme and Basic") {
        _ in
        ChoiceGate(weaker: [RefusingGate("Unknown realm=\"a, Basic\"")], strongest: Self.basicGate())
    }

    /// A server that offers Basic, and Negotiate without a Kerberos realm.
    public static let negotiateOrBasic = guarded(
        "negotiate-or-basic", .basic, "401 with Negotiate, without a Kerberos realm, and Basic"
    ) { _ in
        ChoiceGate(weaker: [RefusingGate("Negotiate")], strongest: Self.basicGate())
    }

    /// A server that requires Basic authentication, and refuses every password.
    public static let wrongPasswordForever = guarded(
        "wrong-password-forever", .basic, "401 with Basic, whatever the password", expect: .notAuthenticated
    ) { _ in
        BasicGate(realm: Self.realm, accepted: nil)
    }

    // MARK: Proxies

    static let proxyKinds: [Self] = [
        .proxyOpen, .proxyBasic, .proxyDigest, .proxyNTLM, .proxyTLS, .proxyUntrusted, .proxySOCKS, .proxySOCKSPassword,
    ]

    /// A proxy without authentication.
    public static let proxyOpen = proxy("proxy-open", "a proxy without authentication")

    /// A proxy that requires Basic authentication.
    public static let proxyBasic = proxy("proxy-basic", "a proxy: 407 with Basic", method: .basic) { _ in
        BasicGate(realm: Self.proxyRealm, accepted: .lab)
    }

    /// A proxy that requires Digest authentication with SHA-256.
    public static let proxyDigest = proxy("proxy-digest", "a proxy: 407 with Digest, SHA-256", method: .digest) { _ in
        DigestGate(realm: Self.proxyRealm, accepted: .lab, hash: .sha256)
    }

    /// A proxy that requires NTLMv2 authentication with an integrity code.
    public static let proxyNTLM = proxy(
        "proxy-ntlm", "a proxy: 407 with NTLM, version 2, with an integrity code", method: .ntlm
    ) { _ in
        NTLMGate(try NTLMTerms())
    }

    /// A proxy with a TLS connection to the client.
    public static let proxyTLS = proxy("proxy-tls", "a proxy that is reached over TLS", tls: .init())

    /// A proxy with a TLS connection to the client and a chain to an unknown root.
    public static let proxyUntrusted = proxy(
        "proxy-untrusted", "a proxy that is reached over TLS, of an unknown root",
        tls: .init(chain: { try $0.server(of: $0.untrustedRoot) })
    )
    .expecting(.notTrusted, "trust.issuer-not-found")

    /// A SOCKS 5 proxy without authentication.
    public static let proxySOCKS = socks("proxy-socks", "a SOCKS 5 proxy without authentication", .open)

    /// A SOCKS 5 proxy that requires a user name and a password.
    public static let proxySOCKSPassword = socks(
        "proxy-socks-password", "a SOCKS 5 proxy that requires a user and a password", method: .socksPassword,
        .login(.lab))

    // MARK: Gates

    private static let realm = "Countersign lab"
    private static let proxyRealm = "Countersign lab proxy"

    static func basicGate() -> BasicGate { BasicGate(realm: realm, accepted: .lab) }

    private static func digestGate(
        _ hash: DigestHash, _ options: DigestGate.Options = [], quality: String = "auth",
        information: DigestGate.Information = .proof
    ) -> DigestGate {
        DigestGate(
            realm: realm, accepted: .lab, hash: hash, quality: quality, information: information, options: options)
    }
}
