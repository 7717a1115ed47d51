// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension LabServer {
    /// The kind of a server: what it presents to clients.
    ///
    /// The raw value is the server's name. The table in `LabServer.Kind+Row.swift` defines each kind.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// Presents http without TLS; `/index.html` is the catalogue, and `/fault/NAME` shows a fault of ``Fault/ofHTTP1``.
        case plainHTTP = "plain-http"
        /// Presents a chain of the lab's authority, and the same resources over TLS.
        case goodHTTPS = "good-https"

        /// Presents a key on P-384.
        case p384 = "p-384"
        /// Presents an RSA key of 2,048 bits.
        case rsa2048 = "rsa-2048"
        /// Presents a certificate for the address 127.0.0.1.
        case address
        /// Presents a certificate for `*.lab.localhost`.
        case wildcard
        /// Presents the leaf, then the upper of two intermediates, then the lower.
        case reorderedChain = "reordered-chain"
        /// Presents certificates that belong to no path between the leaf and its intermediate, and the root.
        case extraCertificates = "extra-certificates"
        /// Presents an expired certificate of the intermediate before the one in force.
        case expiredTwin = "expired-twin"
        /// Presents the root's key in an expired certificate of another root, as with AddTrust in 2020.
        case crossSignedRoot = "cross-signed-root"
        /// Presents an intermediate for localhost alone.
        case nameConstraintsMet = "name-constraints-met"
        /// Presents a certificate that is signed by itself.
        case selfSigned = "self-signed"
        /// Presents a chain of an unknown authority.
        case unknownRoot = "unknown-root"
        /// Presents a certificate that expired yesterday.
        case expired
        /// Presents a certificate that is valid from tomorrow.
        case notYetValid = "not-yet-valid"
        /// Presents an intermediate that expired yesterday.
        case expiredIntermediate = "expired-intermediate"
        /// Presents a certificate for elsewhere.test.
        case wrongHost = "wrong-host"
        /// Presents a certificate for 127.0.0.2, reached at 127.0.0.1.
        case wrongAddress = "wrong-address"
        /// Presents 127.0.0.1 as a DNS name.
        case addressAsName = "address-as-name"
        /// Presents a common name and no subject alternative name.
        case noAlternativeName = "no-alternative-name"
        /// Presents a certificate for `*.localhost`, reached at localhost.
        case wildcardForParent = "wildcard-for-parent"
        /// Presents a certificate for `*.localhost`, reached at www.lab.localhost.
        case wildcardForTwoLabels = "wildcard-for-two-labels"
        /// Presents a certificate for `*`.
        case wildcardAlone = "wildcard-alone"
        /// Presents a certificate for `local*`.
        case wildcardInLabel = "wildcard-in-label"
        /// Presents a certificate for `*.0.0.1`.
        case wildcardInAddress = "wildcard-in-address"
        /// Presents a leaf without the intermediate that issued it.
        case missingIntermediate = "missing-intermediate"
        /// Presents a leaf whose signature has a wrong bit.
        case badSignature = "bad-signature"
        /// Presents a leaf whose signature uses SHA-1.
        case sha1 = "sha-1"
        /// Presents an RSA key of 1,024 bits.
        case rsa1024 = "rsa-1024"
        /// Presents a leaf that another server's certificate issued.
        case issuerIsNoAuthority = "issuer-is-no-authority"
        /// Presents an intermediate whose key may not sign certificates.
        case issuerKeyUsage = "issuer-key-usage"
        /// Presents an intermediate for clients' certificates alone.
        case issuerPurpose = "issuer-purpose"
        /// Presents a path with an intermediate that allows no other below it, and one below it.
        case pathTooLong = "path-too-long"
        /// Presents an intermediate for elsewhere.test alone.
        case nameNotPermitted = "name-not-permitted"
        /// Presents an intermediate for all names but localhost.
        case nameExcluded = "name-excluded"
        /// Presents a certificate for clients.
        case clientPurpose = "client-purpose"
        /// Presents an RSA key that may only sign certificates.
        case wrongKeyUsage = "wrong-key-usage"
        /// Presents an unknown critical extension.
        case unknownCriticalExtension = "unknown-critical-extension"

        /// Presents a certificate that a current list does not have.
        case notRevokedByList = "not-revoked-by-list"
        /// Presents a certificate that an OCSP responder calls good.
        case notRevokedByResponder = "not-revoked-by-responder"
        /// Presents a certificate that is on a revocation list.
        case revokedByList = "revoked-by-list"
        /// Presents a certificate that an OCSP responder calls revoked.
        case revokedByResponder = "revoked-by-responder"
        /// Presents an intermediate that is on the root's revocation list.
        case revokedIntermediate = "revoked-intermediate"
        /// Presents a certificate whose revocation list is missing at its URL.
        case revocationUnanswered = "revocation-unanswered"
        /// Presents a revocation list that is out of date.
        case revocationOutdated = "revocation-outdated"
        /// Presents a revocation list that another authority signed.
        case revocationForged = "revocation-forged"
        /// Presents a certificate that demands a stapled OCSP response (RFC 7633), and no such response.
        case mustStaple = "must-staple"
        /// Presents a leaf that names the URL of its missing intermediate.
        case fetchableIntermediate = "fetchable-intermediate"

        /// Presents a chain with the pinned key.
        case pinRight = "pin-right"
        /// Presents a trusted chain without the pinned key.
        case pinWrong = "pin-wrong"

        /// Presents TLS 1.2 and no other version.
        case tls12 = "tls-1.2"
        /// Presents TLS 1.3 and no other version.
        case tls13 = "tls-1.3"
        /// Presents TLS 1.0 and no other version.
        case tls10 = "tls-1.0"
        /// Presents TLS 1.1 and no other version.
        case tls11 = "tls-1.1"
        /// Presents http where a URL says https.
        case noTLS = "no-tls"
        /// Presents a body without a length, cut off without TLS's close_notify.
        case cutBody = "cut-body"

        /// Presents a demand for a certificate of the lab's authority.
        case clientCertificateRequired = "client-certificate-required"
        /// Presents a request for a certificate of the lab's authority, which the client may leave out.
        case clientCertificateWanted = "client-certificate-wanted"
        /// Presents an unknown root and a demand for a client certificate.
        case untrustedAndClientCertificateRequired = "untrusted-and-client-certificate"
        /// Presents a demand for a certificate of another authority.
        case clientCertificateWrongIssuer = "client-certificate-wrong-issuer"

        /// Presents 401 with Basic.
        case basic
        /// Presents 401 with Digest, MD5.
        case digestMD5 = "digest-md5"
        /// Presents 401 with Digest, MD5-sess.
        case digestMD5Session = "digest-md5-sess"
        /// Presents 401 with Digest as in RFC 2069: MD5, no qop.
        case digestLegacy = "digest-legacy"
        /// Presents 401 with Digest, SHA-256.
        case digestSHA256 = "digest-sha-256"
        /// Presents 401 with Digest, SHA-256-sess.
        case digestSHA256Session = "digest-sha-256-sess"
        /// Presents 401 with Digest, SHA-512-256.
        case digestSHA512Half = "digest-sha-512-256"
        /// Presents 401 with Digest, SHA-256, over the body too.
        case digestAuthInt = "digest-auth-int"
        /// Presents 401 with Digest, SHA-256, the user's name hashed.
        case digestUserHash = "digest-user-hash"
        /// Presents 401 with Digest, SHA-256; the first nonce is stale.
        case digestStaleNonce = "digest-stale-nonce"
        /// Presents 401 with Digest, SHA-256; each nonce is good for one request.
        case digestNextNonce = "digest-next-nonce"
        /// Presents 401 with Digest, SHA-256, from a server that does not know the password.
        case digestWrongProof = "digest-wrong-proof"
        /// Presents 401 with Digest and an algorithm that does not exist.
        case digestUnknownAlgorithm = "digest-unknown-algorithm"
        /// Presents 401 with SCRAM-SHA-256.
        case scramSHA256 = "scram-sha-256"
        /// Presents 401 with SCRAM-SHA-256, from a server that does not know the password.
        case scramWrongProof = "scram-wrong-proof"
        /// Presents 401 with Bearer; a token that is not the lab's has expired.
        case bearer
        /// Presents 401 with NTLM, version 2, with an integrity code, bound to the certificate.
        case ntlm
        /// Presents 401 with NTLM, version 2, without an integrity code and a binding.
        case ntlmUnbound = "ntlm-unbound"
        /// Presents 401 with Basic and Digest, SHA-256; an answer to the weaker is refused.
        case basicOrDigest = "basic-or-digest"
        /// Presents 401 with Digest, MD5 and SHA-256; an answer to the weaker is refused.
        case twoDigests = "two-digests"
        /// Presents 401 with an unknown scheme and Basic.
        case unknownOrBasic = "unknown-or-basic"
        /// Presents 401 with Negotiate, for which there is no Kerberos, and Basic.
        case negotiateOrBasic = "negotiate-or-basic"
        /// Presents 401 with Basic, and accepts no password.
        case wrongPasswordForever = "wrong-password-forever"

        /// A proxy that asks for nothing.
        case proxyOpen = "proxy-open"
        /// A proxy that presents 407 with Basic.
        case proxyBasic = "proxy-basic"
        /// A proxy that presents 407 with Digest, SHA-256.
        case proxyDigest = "proxy-digest"
        /// A proxy that presents 407 with NTLM, version 2, with an integrity code.
        case proxyNTLM = "proxy-ntlm"
        /// A proxy that is reached over TLS.
        case proxyTLS = "proxy-tls"
        /// A proxy that is reached over TLS, with a chain of an unknown root.
        case proxyUntrusted = "proxy-untrusted"
        /// A proxy of SOCKS 5 that asks for nothing.
        case proxySOCKS = "proxy-socks"
        /// A proxy of SOCKS 5 that asks for a user and a password.
        case proxySOCKSPassword = "proxy-socks-password"

        /// Presents a redirect to a redirect to the resource: 301, 302, 303, 307 and 308.
        case redirect
        /// Presents a redirect to a relative reference with dots in it.
        case redirectRelative = "redirect-relative"
        /// Presents 401 with Basic, and a redirect to a server that must not get the password.
        case redirectElsewhere = "redirect-elsewhere"
        /// Presents a redirect to a local file.
        case redirectToFile = "redirect-to-file"
        /// Presents a redirect from https to http.
        case redirectToPlainHTTP = "redirect-to-plain-http"
        /// Presents a redirect to a redirect to a redirect.
        case endlessRedirect = "endless-redirect"
        /// Presents a cookie, and a redirect to a resource that needs it.
        case cookie
        /// Presents a cookie for another path, which must not come back.
        case cookieForPath = "cookie-for-path"
        /// Presents a cookie for another domain, which must not come back.
        case cookieForOthers = "cookie-for-others"
        /// Presents a cookie, and then its removal.
        case cookieRemoved = "cookie-removed"
        /// Presents a body of which a part is asked for.
        case range
        /// Presents a body in gzip.
        case gzip
        /// Presents a body in deflate.
        case deflate
        /// Presents a body in many chunks.
        case chunked
        /// Presents two interim responses before the final one.
        case interim
        /// Presents a body that is sent slowly, within a second and a half.
        case slowBody = "slow-body"

        /// Presents half of the body that the head announces.
        case truncatedBody = "truncated-body"
        /// Presents a body in chunks without its end.
        case truncatedChunks = "truncated-chunks"
        /// Presents a body in gzip without its end.
        case truncatedGzip = "truncated-gzip"
        /// Presents a body in gzip with a wrong checksum.
        case wrongChecksum = "wrong-checksum"
        /// Presents a body that is not gzip, with the content coding gzip.
        case malformedGzip = "malformed-gzip"
        /// Closes the connection without a response.
        case closed
        /// Resets the connection without a response.
        case reset
        /// Presents a malformed status line.
        case malformedStatusLine = "malformed-status-line"
        /// Presents two different lengths of the body.
        case twoLengths = "two-lengths"
        /// Presents a length and chunks.
        case lengthAndChunks = "length-and-chunks"
        /// Presents a negative length.
        case negativeLength = "negative-length"
        /// Presents a length of 2 to the 64th.
        case overflowingLength = "overflowing-length"
        /// Presents a chunk whose size is no number.
        case malformedChunk = "malformed-chunk"
        /// Presents a header field without an end.
        case endlessField = "endless-field"
        /// Presents interim responses without an end.
        case endlessInterim = "endless-interim"
        /// Presents a body without a head, as in HTTP/0.9.
        case oldHTTP = "http-0.9"
        /// Presents a bare CR in a header field.
        case carriageReturn = "carriage-return"
    }

    /// A part of the catalogue.
    public enum Group: String, CaseIterable, Hashable, Sendable {
        /// Servers without a fault.
        case good = "nothing wrong"
        /// Certificates that are trusted, or have a defect.
        case certificates
        /// Certificates that are revoked, or whose status has to be fetched.
        case revocation
        /// Servers for clients that require ``Lab/pin``.
        case pins
        /// Versions of TLS, and broken connections.
        case tls = "TLS"
        /// Servers that ask for a client certificate.
        case clientCertificates = "client certificates"
        /// Servers with challenges of HTTP.
        case authentication
        /// Proxies of HTTP and SOCKS.
        case proxies
        /// Redirects, cookies, ranges, content codings and other features of HTTP.
        case http = "HTTP"
        /// Responses that break the rules of HTTP.
        case faults
    }

    /// The behaviour of a correct client that trusts the lab's authority, has its client identity and knows its password.
    public enum Expectation: String, Hashable, Sendable {
        /// The client gets the resource.
        case delivered
        /// The client distrusts the server, and gets the resource only if its user accepts the chain.
        case deliveredOnceAccepted = "delivered once accepted"
        /// The client distrusts the server, and sends no request.
        case notTrusted = "not trusted"
        /// The TLS handshake with the server fails.
        case noSecureConnection = "no secure connection"
        /// The authentication fails, and the client does not get the resource.
        case notAuthenticated = "not authenticated"
        /// The client reports that the body is truncated.
        case truncated
        /// The client stops at its limit of redirects.
        case tooManyRedirects = "too many redirects"
        /// The client does not follow the redirect.
        case redirectRefused = "redirect refused"
        /// The client refuses the response, which breaks the rules of HTTP or has no end.
        case responseRefused = "response refused"
    }

    /// A setting that a client needs.
    public enum Need: String, CaseIterable, Hashable, Sendable {
        /// The user and the password, ``Lab/credentials``.
        case password
        /// The token, ``Lab/token``.
        case token
        /// The client certificate, ``Lab/clientIdentity``.
        case identity
        /// The server as its proxy.
        case proxy
        /// The pin ``Lab/pin``, which the client requires.
        case pin
        /// A check of certificates by revocation lists, which refuses those whose status is not known.
        case revocationLists = "revocation lists"
        /// A check of certificates by OCSP responders, which refuses those whose status is not known.
        case responders
        /// Permission to fetch certificates that a server does not send.
        case missingIssuers = "missing issuers"
        /// Storage for cookies, which the client keeps from one response to the next request.
        case cookies
        /// A Range field with ``Lab/range``.
        case range
        /// An Accept-Encoding field with gzip and deflate.
        case compression
    }
}
