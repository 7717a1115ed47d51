// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension LabServer {
    /// The kind of a server.
    ///
    /// The table of what each one is stands in `LabServer.Kind+Row.swift`.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        case plainHTTP = "plain-http"
        case goodHTTPS = "good-https"

        case p384 = "p-384"
        case rsa2048 = "rsa-2048"
        case address
        case wildcard
        case reorderedChain = "reordered-chain"
        case extraCertificates = "extra-certificates"
        case expiredTwin = "expired-twin"
        case crossSignedRoot = "cross-signed-root"
        case nameConstraintsMet = "name-constraints-met"
        case selfSigned = "self-signed"
        case unknownRoot = "unknown-root"
        case expired
        case notYetValid = "not-yet-valid"
        case expiredIntermediate = "expired-intermediate"
        case wrongHost = "wrong-host"
        case wrongAddress = "wrong-address"
        case addressAsName = "address-as-name"
        case noAlternativeName = "no-alternative-name"
        case wildcardForParent = "wildcard-for-parent"
        case wildcardForTwoLabels = "wildcard-for-two-labels"
        case wildcardAlone = "wildcard-alone"
        case wildcardInLabel = "wildcard-in-label"
        case wildcardInAddress = "wildcard-in-address"
        case missingIntermediate = "missing-intermediate"
        case badSignature = "bad-signature"
        case sha1 = "sha-1"
        case rsa1024 = "rsa-1024"
        case issuerIsNoAuthority = "issuer-is-no-authority"
        case issuerKeyUsage = "issuer-key-usage"
        case issuerPurpose = "issuer-purpose"
        case pathTooLong = "path-too-long"
        case nameNotPermitted = "name-not-permitted"
        case nameExcluded = "name-excluded"
        case clientPurpose = "client-purpose"
        case wrongKeyUsage = "wrong-key-usage"
        case unknownCriticalExtension = "unknown-critical-extension"

        case notRevokedByList = "not-revoked-by-list"
        case notRevokedByResponder = "not-revoked-by-responder"
        case revokedByList = "revoked-by-list"
        case revokedByResponder = "revoked-by-responder"
        case revokedIntermediate = "revoked-intermediate"
        case revocationUnanswered = "revocation-unanswered"
        case revocationOutdated = "revocation-outdated"
        case revocationForged = "revocation-forged"
        case mustStaple = "must-staple"
        case fetchableIntermediate = "fetchable-intermediate"

        case pinRight = "pin-right"
        case pinWrong = "pin-wrong"

        case tls12 = "tls-1.2"
        case tls13 = "tls-1.3"
        case tls10 = "tls-1.0"
        case tls11 = "tls-1.1"
        case noTLS = "no-tls"
        case cutBody = "cut-body"

        case clientCertificateRequired = "client-certificate-required"
        case clientCertificateWanted = "client-certificate-wanted"
        case untrustedAndClientCertificateRequired = "untrusted-and-client-certificate"
        case clientCertificateWrongIssuer = "client-certificate-wrong-issuer"

        case basic
        case digestMD5 = "digest-md5"
        case digestMD5Session = "digest-md5-sess"
        case digestLegacy = "digest-legacy"
        case digestSHA256 = "digest-sha-256"
        case digestSHA256Session = "digest-sha-256-sess"
        case digestSHA512Half = "digest-sha-512-256"
        case digestAuthInt = "digest-auth-int"
        case digestUserHash = "digest-user-hash"
        case digestStaleNonce = "digest-stale-nonce"
        case digestNextNonce = "digest-next-nonce"
        case digestWrongProof = "digest-wrong-proof"
        case digestUnknownAlgorithm = "digest-unknown-algorithm"
        case scramSHA256 = "scram-sha-256"
        case scramWrongProof = "scram-wrong-proof"
        case bearer
        case ntlm
        case ntlmUnbound = "ntlm-unbound"
        case basicOrDigest = "basic-or-digest"
        case twoDigests = "two-digests"
        case unknownOrBasic = "unknown-or-basic"
        case negotiateOrBasic = "negotiate-or-basic"
        case wrongPasswordForever = "wrong-password-forever"

        case proxyOpen = "proxy-open"
        case proxyBasic = "proxy-basic"
        case proxyDigest = "proxy-digest"
        case proxyNTLM = "proxy-ntlm"
        case proxyTLS = "proxy-tls"
        case proxyUntrusted = "proxy-untrusted"
        case proxySOCKS = "proxy-socks"
        case proxySOCKSPassword = "proxy-socks-password"

        case redirect
        case redirectRelative = "redirect-relative"
        case redirectElsewhere = "redirect-elsewhere"
        case redirectToFile = "redirect-to-file"
        case redirectToPlainHTTP = "redirect-to-plain-http"
        case endlessRedirect = "endless-redirect"
        case cookie
        case cookieForPath = "cookie-for-path"
        case cookieForOthers = "cookie-for-others"
        case cookieRemoved = "cookie-removed"
        case range
        case gzip
        case deflate
        case chunked
        case interim
        case slowBody = "slow-body"

        case truncatedBody = "truncated-body"
        case truncatedChunks = "truncated-chunks"
        case truncatedGzip = "truncated-gzip"
        case wrongChecksum = "wrong-checksum"
        case malformedGzip = "malformed-gzip"
        case closed
        case reset
        case malformedStatusLine = "malformed-status-line"
        case twoLengths = "two-lengths"
        case lengthAndChunks = "length-and-chunks"
        case negativeLength = "negative-length"
        case overflowingLength = "overflowing-length"
        case malformedChunk = "malformed-chunk"
        case endlessField = "endless-field"
        case endlessInterim = "endless-interim"
        case oldHTTP = "http-0.9"
        case carriageReturn = "carriage-return"
    }

    /// A part of the catalogue.
    public enum Group: String, CaseIterable, Hashable, Sendable {
        case good = "nothing wrong"
        case certificates
        case revocation
        case pins
        case tls = "TLS"
        case clientCertificates = "client certificates"
        case authentication
        case proxies
        case http = "HTTP"
        case faults
    }

    /// The behaviour of a correct client that trusts the lab's authority, has its client identity and knows its password.
    public enum Expectation: String, Hashable, Sendable {
        case delivered
        /// Distrusted, and delivered only to a client whose user accepts the chain.
        case deliveredOnceAccepted = "delivered once accepted"
        case notTrusted = "not trusted"
        /// No handshake with the server ends well.
        case noSecureConnection = "no secure connection"
        case notAuthenticated = "not authenticated"
        case truncated
        case tooManyRedirects = "too many redirects"
        /// The redirect is not followed.
        case redirectRefused = "redirect refused"
        /// The response breaks HTTP's rules, or has no end, and is not taken for a good one.
        case responseRefused = "response refused"
    }

    /// The settings that a client needs.
    public enum Need: String, CaseIterable, Hashable, Sendable {
        case password
        case token
        /// A client certificate.
        case identity
        /// To go through the server as a proxy.
        case proxy
        /// To require ``Lab/pin``.
        case pin
        /// To check by lists whether certificates are revoked, and to refuse where that cannot be found out.
        case revocationLists = "revocation lists"
        /// To ask OCSP responders whether certificates are revoked, and to refuse where that cannot be found out.
        case responders
        /// To fetch the certificates that a server does not send.
        case missingIssuers = "missing issuers"
        /// To keep cookies from one response to the next request.
        case cookies
        /// To ask for the bytes of ``Lab/range``.
        case range
        /// To ask for compression.
        case compression
    }
}
