// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Identities
import SwiftASN1
import X509

/// The catalogue: one row a server, in the order of the kinds.
extension LabServer.Kind {
    private static let realm = "Countersign lab"
    private static let proxyRealm = "Countersign lab proxy"

    /// What the server presents, how, and what a correct client does.
    var row: LabRow {
        switch self {
        case .plainHTTP:
            LabRow(
                group: .good,
                presents:
                    "http without TLS; /index.html is the catalogue, /image.png, /ca.pem, /bytes/N, /echo, /fault/NAME",
                scheme: .http, tls: nil)
        case .goodHTTPS: .trusted("a chain of the lab's authority; the same resources", in: .good) { $0.good }

        case .p384: .trusted("a key on P-384") { try $0.server { $0.key = .p384 } }
        case .rsa2048: .trusted("an RSA key of 2,048 bits") { try $0.server { $0.key = .rsa2048 } }
        case .address: .trusted("a certificate for the address 127.0.0.1", host: "127.0.0.1") { $0.good }
        case .wildcard:
            .trusted("a certificate for *.lab.localhost", host: "www.lab.localhost") {
                try $0.server { $0.names = [.dnsName("*.lab.localhost")] }
            }
        case .reorderedChain:
            .trusted("the leaf, then the upper of two intermediates, then the lower") {
                try $0.longServer().arranged([0, 2, 1])
            }
        case .extraCertificates:
            .trusted("certificates that belong to no path between the leaf and its intermediate, and the root") {
                let good = $0.good
                return try Identity(
                    chain: [good.certificate, $0.stranger.certificate] + good.chain.dropFirst() + [$0.root.certificate],
                    privateKey: good.privateKey)
            }
        case .expiredTwin:
            .trusted("an expired certificate of the intermediate before the one in force") {
                try $0.expiredTwin()
            }
        case .crossSignedRoot:
            .trusted("the root's key in an expired certificate of another root, as with AddTrust in 2020") {
                try $0.crossSignedRoot()
            }
        case .nameConstraintsMet:
            .trusted("an intermediate for localhost alone") {
                let names = $0.dnsNames
                return try $0.server(of: $0.authority { $0.permits(dnsNames: names) }) {
                    $0.names = names.map(GeneralName.dnsName)
                }
            }
        case .selfSigned:
            .distrusted("a certificate that is signed by itself", "self-signed") { try $0.selfSigned() }
        case .unknownRoot:
            .distrusted("a chain of an unknown authority", "unknown-root") {
                try $0.server(of: $0.stranger).appending($0.stranger.certificate)
            }
        case .expired:
            .distrusted("a certificate that expired yesterday", "expired") {
                try $0.server { ($0.begin, $0.end) = (days(-30), days(-1)) }
            }
        case .notYetValid:
            .distrusted("a certificate that is valid from tomorrow", "not-yet-valid") {
                try $0.server { ($0.begin, $0.end) = (days(1), days(30)) }
            }
        case .expiredIntermediate:
            .distrusted("an intermediate that expired yesterday", "expired") {
                try $0.server(of: $0.authority { ($0.begin, $0.end) = (days(-30), days(-1)) })
            }
        case .wrongHost:
            .distrusted("a certificate for elsewhere.test", "host-mismatch") {
                try $0.server { $0.names = [.dnsName("elsewhere.test")] }
            }
        case .wrongAddress:
            .distrusted("a certificate for 127.0.0.2, reached at 127.0.0.1", "host-mismatch", host: "127.0.0.1") {
                try $0.server { $0.names = [.dnsName("localhost"), .address([127, 0, 0, 2])] }
            }
        case .addressAsName:
            .distrusted("127.0.0.1 as a DNS name", "host-mismatch", host: "127.0.0.1") {
                try $0.server { $0.names = [.dnsName("127.0.0.1")] }
            }
        case .noAlternativeName:
            .distrusted("a common name and no subject alternative name", "no-subject-alternative-names") {
                try $0.server { $0.names = nil }
            }
        case .wildcardForParent:
            .distrusted("a certificate for *.localhost, reached at localhost", "host-mismatch") {
                try $0.server { $0.names = [.dnsName("*.localhost")] }
            }
        case .wildcardForTwoLabels:
            .distrusted(
                "a certificate for *.localhost, reached at www.lab.localhost", "host-mismatch",
                host: "www.lab.localhost"
            ) {
                try $0.server { $0.names = [.dnsName("*.localhost")] }
            }
        case .wildcardAlone:
            .distrusted("a certificate for *", "host-mismatch") { try $0.server { $0.names = [.dnsName("*")] } }
        case .wildcardInLabel:
            .distrusted("a certificate for local*", "host-mismatch") {
                try $0.server { $0.names = [.dnsName("local*")] }
            }
        case .wildcardInAddress:
            .distrusted("a certificate for *.0.0.1", "host-mismatch", host: "127.0.0.1") {
                try $0.server { $0.names = [.dnsName("*.0.0.1")] }
            }
        case .missingIntermediate:
            .distrusted("a leaf without the intermediate that issued it", "issuer-not-found") {
                try $0.good.arranged([0])
            }
        case .badSignature:
            .distrusted("a leaf whose signature has a wrong bit", "bad-signature") { try $0.server().forged() }
        case .sha1:
            .distrusted("a leaf whose signature uses SHA-1", "weak-signature") {
                try $0.server(of: $0.authority { $0.key = .rsa2048 }) { $0.algorithm = .sha1WithRSAEncryption }
            }
        case .rsa1024:
            .distrusted("an RSA key of 1,024 bits", "key-too-small") { try $0.server { $0.key = .rsa1024 } }
        case .issuerIsNoAuthority:
            .distrusted("a leaf that another server's certificate issued", "not-an-authority") {
                try $0.server(of: $0.authority { $0.constraints = .notCertificateAuthority })
            }
        case .issuerKeyUsage:
            .distrusted("an intermediate whose key may not sign certificates", "key-usage") {
                try $0.server(of: $0.authority { $0.keyUsage = KeyUsage(cRLSign: true) })
            }
        case .issuerPurpose:
            .distrusted("an intermediate for clients' certificates alone", "extended-key-usage") {
                try $0.server(of: $0.authority { $0.purposes = [.clientAuth] })
            }
        case .pathTooLong:
            .distrusted("two intermediates below one that allows none below it", "path-too-long") {
                try $0.longServer { $0.constraints = .isCertificateAuthority(maxPathLength: 0) }
            }
        case .nameNotPermitted:
            .distrusted("an intermediate for elsewhere.test alone", "name-constraints") {
                try $0.server(of: $0.authority { $0.permits(dnsNames: ["elsewhere.test"]) })
            }
        case .nameExcluded:
            .distrusted("an intermediate for all names but localhost", "name-constraints") {
                try $0.server(of: $0.authority { $0.excludes(dnsName: "localhost") })
            }
        case .clientPurpose:
            .distrusted("a certificate for clients", "extended-key-usage") {
                try $0.server { $0.purposes = [.clientAuth] }
            }
        case .wrongKeyUsage:
            .distrusted("an RSA key that may only sign certificates", "key-usage") {
                // BoringSSL serves no EC key that may not sign.
                try $0.server { ($0.key, $0.keyUsage) = (.rsa2048, KeyUsage(keyCertSign: true)) }
            }.expecting(.noSecureConnection, "tls.handshake-failed")
        case .unknownCriticalExtension:
            .distrusted("an unknown critical extension", "unknown-critical-extension") {
                try $0.server {
                    $0.extensions = [.init(oid: [1, 3, 6, 1, 4, 1, 32_473, 1], critical: true, value: [5, 0])]
                }
            }

        case .notRevokedByList:
            .trusted("a certificate that a current list does not have", in: .revocation, needs: [.revocationLists]) {
                try await $0.revocable(.list(isRevoked: false), rawValue)
            }
        case .notRevokedByResponder:
            .trusted("a certificate that an OCSP responder calls good", in: .revocation, needs: [.responders]) {
                try await $0.revocable(.response(isRevoked: false), rawValue)
            }
        case .revokedByList:
            .distrusted(
                "a certificate that is on a revocation list", "revoked", in: .revocation, needs: [.revocationLists]
            ) { try await $0.revocable(.list(isRevoked: true), rawValue) }
        case .revokedByResponder:
            .distrusted(
                "a certificate that an OCSP responder calls revoked", "revoked", in: .revocation, needs: [.responders]
            ) { try await $0.revocable(.response(isRevoked: true), rawValue) }
        case .revokedIntermediate:
            .distrusted(
                "an intermediate that is on the root's revocation list", "revoked", in: .revocation,
                needs: [.revocationLists]
            ) { try await $0.revocable(.listOfAuthority, rawValue) }
        case .revocationUnanswered:
            .distrusted(
                "a certificate whose revocation list is not where it says", "revocation-unknown", in: .revocation,
                needs: [.revocationLists]
            ) { try await $0.revocable(.nothing, rawValue) }
        case .revocationOutdated:
            .distrusted(
                "a revocation list that is out of date", "revocation-unknown", in: .revocation,
                needs: [.revocationLists]
            ) { try await $0.revocable(.outdatedList, rawValue) }
        case .revocationForged:
            .distrusted(
                "a revocation list that another authority signed", "revocation-unknown", in: .revocation,
                needs: [.revocationLists]
            ) { try await $0.revocable(.forgedList, rawValue) }
        case .mustStaple:
            .distrusted(
                "a certificate that demands a stapled answer, and no answer", "revocation-unknown", in: .revocation
            ) {
                try $0.server {
                    $0.extensions = [
                        .init(oid: [1, 3, 6, 1, 5, 5, 7, 1, 24], critical: false, value: [0x30, 3, 2, 1, 5])
                    ]
                }
            }
        case .fetchableIntermediate:
            .trusted(
                "a leaf that says where its missing intermediate is", in: .revocation, needs: [.missingIssuers]
            ) { try $0.fetchable(rawValue) }

        case .pinRight: .trusted("a chain with the pinned key", in: .pins, needs: [.pin]) { $0.good }
        case .pinWrong:
            .distrusted("a trusted chain without the pinned key", "pin-mismatch", in: .pins, needs: [.pin]) {
                try $0.server(of: $0.authority())
            }

        case .tls12: .version(.tls12, "1.2")
        case .tls13: .version(.tls13, "1.3")
        case .tls10: .version(.tls10, "1.0", failureCode: "tls.no-common-version")
        case .tls11: .version(.tls11, "1.1", failureCode: "tls.no-common-version")
        case .noTLS:
            LabRow(
                group: .tls, presents: "http where a URL says https", expectation: .noSecureConnection,
                failureCode: "tls.not-tls", tls: nil,
                fault: .plainHTTP)
        case .cutBody:
            LabRow(
                group: .tls, presents: "a body without a length, cut off without TLS's close_notify",
                expectation: .truncated, failureCode: "body.truncated", path: "/fault/cut-in-body")

        case .clientCertificateRequired: .asking("a demand for a certificate of the lab's authority", for: .required)
        case .clientCertificateWanted: .asking("a wish for a certificate of the lab's authority", for: .wanted)
        case .untrustedAndClientCertificateRequired:
            LabRow(
                group: .clientCertificates, presents: "an unknown root and a demand for a client certificate",
                expectation: .deliveredOnceAccepted, needs: [.identity], method: .clientCertificate,
                tls: .init(chain: { try $0.server(of: $0.stranger) }, clientCertificate: .required))
        case .clientCertificateWrongIssuer:
            .asking("a demand for a certificate of another authority", for: .requiredOfStranger)
                .expecting(.notAuthenticated, "tls.client-certificate-refused")

        case .basic: .guarded(.basic, "401 with Basic") { _ in Self.basicGate() }
        case .digestMD5: .guarded(.digest, "401 with Digest, MD5") { _ in Self.digestGate(.md5) }
        case .digestMD5Session:
            .guarded(.digest, "401 with Digest, MD5-sess") { _ in Self.digestGate(.md5, [.hashesSessions]) }
        case .digestLegacy:
            .guarded(.digest, "401 with Digest as in RFC 2069: MD5, no qop") { _ in
                Self.digestGate(.md5, [.asksForNoQuality])
            }
        case .digestSHA256: .guarded(.digest, "401 with Digest, SHA-256") { _ in Self.digestGate(.sha256) }
        case .digestSHA256Session:
            .guarded(.digest, "401 with Digest, SHA-256-sess") { _ in Self.digestGate(.sha256, [.hashesSessions]) }
        case .digestSHA512Half: .guarded(.digest, "401 with Digest, SHA-512-256") { _ in Self.digestGate(.sha512Half) }
        case .digestAuthInt:
            .guarded(.digest, "401 with Digest, SHA-256, over the body too") { _ in
                Self.digestGate(.sha256, quality: "auth-int")
            }
        case .digestUserHash:
            .guarded(.digest, "401 with Digest, SHA-256, the user's name hashed") { _ in
                Self.digestGate(.sha256, [.hashesUsers])
            }
        case .digestStaleNonce:
            .guarded(.digest, "401 with Digest, SHA-256; the first nonce is stale") { _ in
                Self.digestGate(.sha256, [.callsFirstNonceStale])
            }
        case .digestNextNonce:
            .guarded(.digest, "401 with Digest, SHA-256; each nonce is good for one request") { _ in
                Self.digestGate(.sha256, information: .proofAndNextNonce)
            }
        case .digestWrongProof:
            .guarded(
                .digest, "401 with Digest, SHA-256, from a server that does not know the password",
                expect: .notAuthenticated, code: "authentication.server-not-proven"
            ) { _ in
                Self.digestGate(.sha256, information: .wrongProof)
            }
        case .digestUnknownAlgorithm:
            .guarded(nil, "401 with Digest and an algorithm that does not exist", expect: .notAuthenticated) { _ in
                RefusingGate(
                    "Digest realm=\"\(Self.realm)\", qop=\"auth\", algorithm=SHA-1024, nonce=\"1\", opaque=\"1\"")
            }
        case .scramSHA256:
            .guarded(.scramSHA256, "401 with SCRAM-SHA-256") { _ in try SCRAMGate(realm: Self.realm, accepted: .lab) }
        case .scramWrongProof:
            .guarded(
                .scramSHA256, "401 with SCRAM-SHA-256, from a server that does not know the password",
                expect: .notAuthenticated, code: "authentication.server-not-proven"
            ) { _ in
                try SCRAMGate(realm: Self.realm, accepted: .lab, information: .wrongProof)
            }
        case .bearer:
            .guarded(.bearer, "401 with Bearer; a token that is not the lab's has expired") { _ in
                BearerGate(realm: Self.realm, accepted: LabCredentials.token)
            }
        case .ntlm:
            .guarded(.ntlm, "401 with NTLM, version 2, with an integrity code, bound to the certificate") {
                NTLMGate(try NTLMTerms(boundTo: $0.certificate, hosts: $0.names))
            }
        case .ntlmUnbound:
            .guarded(.ntlm, "401 with NTLM, version 2, without an integrity code and a binding") {
                NTLMGate(try NTLMTerms(omitting: .timestamp, hosts: $0.names))
            }
        case .basicOrDigest:
            .guarded(.digest, "401 with Basic and Digest, SHA-256; an answer to the weaker is refused") { _ in
                ChoiceGate(weaker: [Self.basicGate()], strongest: Self.digestGate(.sha256))
            }
        case .twoDigests:
            .guarded(.digest, "401 with Digest, MD5 and SHA-256; an answer to the weaker is refused") { _ in
                ChoiceGate(weaker: [Self.digestGate(.md5)], strongest: Self.digestGate(.sha256))
            }
        case .unknownOrBasic:
            .guarded(.basic, "401 with an unknown scheme and Basic") { _ in
                ChoiceGate(weaker: [RefusingGate("Unknown realm=\"a, Basic\"")], strongest: Self.basicGate())
            }
        case .negotiateOrBasic:
            .guarded(.basic, "401 with Negotiate, for which there is no Kerberos, and Basic") { _ in
                ChoiceGate(weaker: [RefusingGate("Negotiate")], strongest: Self.basicGate())
            }
        case .wrongPasswordForever:
            .guarded(.basic, "401 with Basic, whatever the password", expect: .notAuthenticated) { _ in
                BasicGate(realm: Self.realm, accepted: nil)
            }

        case .proxyOpen: .proxy("a proxy that asks for nothing")
        case .proxyBasic:
            .proxy("a proxy: 407 with Basic", method: .basic) { _ in BasicGate(realm: Self.proxyRealm, accepted: .lab) }
        case .proxyDigest:
            .proxy("a proxy: 407 with Digest, SHA-256", method: .digest) { _ in
                DigestGate(realm: Self.proxyRealm, accepted: .lab, hash: .sha256)
            }
        case .proxyNTLM:
            .proxy("a proxy: 407 with NTLM, version 2, with an integrity code", method: .ntlm) { _ in
                NTLMGate(try NTLMTerms())
            }
        case .proxyTLS: .proxy("a proxy that is reached over TLS", tls: .init())
        case .proxyUntrusted:
            .proxy(
                "a proxy that is reached over TLS, of an unknown root",
                tls: .init(chain: { try $0.server(of: $0.stranger) })
            )
            .expecting(.notTrusted, "trust.issuer-not-found")
        case .proxySOCKS: .socks("a proxy of SOCKS 5 that asks for nothing", .open)
        case .proxySOCKSPassword:
            .socks("a proxy of SOCKS 5 that asks for a user and a password", method: .socksPassword, .login(.lab))

        case .redirect:
            .http("a redirect to a redirect to the resource: 301, 302, 303, 307 and 308", path: "/moved/301")
        case .redirectRelative: .http("a redirect to a relative reference with dots in it", path: "/moved/relative")
        case .redirectElsewhere:
            .guarded(.basic, "401 with Basic, and a redirect to a server that must not get the password") { _ in
                Self.basicGate()
            }.leading(to: "/protected/elsewhere")
        case .redirectToFile:
            .http(
                "a redirect to a local file", path: "/moved/file", expect: .redirectRefused,
                code: "redirect.invalid")
        case .redirectToPlainHTTP:
            LabRow(
                group: .http, presents: "a redirect from https to http", expectation: .redirectRefused,
                failureCode: "redirect.to-plain-http", path: "/moved/plain-http")
        case .endlessRedirect:
            .http(
                "a redirect to a redirect to a redirect", path: "/endless/0", expect: .tooManyRedirects,
                code: "redirect.too-many")
        case .cookie: .http("a cookie, and a redirect to what needs it", path: "/cookie/set", needs: [.cookies])
        case .cookieForPath:
            .http("a cookie for another path, which must not come back", path: "/cookie/path", needs: [.cookies])
        case .cookieForOthers:
            .http("a cookie for another domain, which must not come back", path: "/cookie/domain", needs: [.cookies])
        case .cookieRemoved:
            .http("a cookie, and then its removal", path: "/cookie/remove", needs: [.cookies])
        case .range:
            .http("a body of which a part is asked for", path: "/range", needs: [.range], body: LabRow.rangedPart)
        case .gzip: .http("a body in gzip", path: "/gzip", needs: [.compression])
        case .deflate: .http("a body in deflate", path: "/deflate", needs: [.compression])
        case .chunked: .http("a body in many chunks", path: "/chunks")
        case .interim: .http("two interim responses before the final one", path: "/interim")
        case .slowBody:
            .http(
                "a body that drips for a second and a half", path: "/slow",
                body: LabRow.slowBody)

        case .truncatedBody:
            LabRow(
                group: .faults, presents: "half of the body that it promised", expectation: .truncated,
                failureCode: "body.truncated", path: "/truncated", scheme: .http, tls: nil)
        case .truncatedChunks:
            .fault("cut-off-chunk", "a body in chunks without its end", "body.truncated", expect: .truncated)
        case .truncatedGzip:
            .fault(
                "truncated-gzip", "a body in gzip without its end", "body.malformed-content-coding", expect: .truncated,
                needs: [.compression])
        case .wrongChecksum:
            .fault(
                "gzip-with-wrong-checksum", "a body in gzip with a wrong checksum", "body.malformed-content-coding",
                needs: [.compression])
        case .malformedGzip:
            .fault(
                "rubbish-gzip", "a body that is called gzip and is not", "body.malformed-content-coding",
                needs: [.compression])
        case .closed: .fault("closed", "no response: the connection is closed", "connection.lost")
        case .reset: .fault("reset", "no response: the connection is reset", "connection.lost")
        case .malformedStatusLine: .fault("rubbish-status-line", "a malformed status line", "response.malformed")
        case .twoLengths: .fault("two-lengths", "two different lengths of the body", "response.malformed")
        case .lengthAndChunks: .fault("length-and-chunks", "a length and chunks", "response.malformed")
        case .negativeLength: .fault("negative-length", "a negative length", "response.malformed")
        case .overflowingLength: .fault("overflowing-length", "a length of 2 to the 64th", "response.malformed")
        case .malformedChunk: .fault("rubbish-chunk", "a chunk whose size is no number", "response.malformed")
        case .endlessField: .fault("endless-field", "a header field without an end", "limit.head-size")
        case .endlessInterim: .fault("endless-interim", "interim responses without an end", "response.malformed")
        case .oldHTTP: .fault("http-0.9", "a body without a head, as in HTTP/0.9", "response.malformed")
        case .carriageReturn: .fault("bare-cr", "a bare CR in a header field", "response.malformed")
        }
    }

    private static func basicGate() -> BasicGate { BasicGate(realm: realm, accepted: .lab) }

    private static func digestGate(
        _ hash: DigestHash, _ habits: DigestGate.Habits = [], quality: String = "auth",
        information: DigestGate.Information = .proof
    ) -> DigestGate {
        DigestGate(
            realm: realm, accepted: .lab, hash: hash, quality: quality, information: information, habits: habits)
    }
}

/// A number of days, in seconds.
private func days(_ count: Double) -> Double { count * 86_400 }
