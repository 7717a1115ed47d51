// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Challenges

/// One server of the lab, and what it is for.
public struct LabServer: Sendable {
    /// What a server presents.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        case plainHTTP = "plain-http"
        case goodHTTPS = "good-https"
        case selfSigned = "self-signed"
        case unknownRoot = "unknown-root"
        case expired
        case notYetValid = "not-yet-valid"
        case wrongHost = "wrong-host"
        case missingIntermediate = "missing-intermediate"
        case clientCertificateRequired = "client-certificate-required"
        case clientCertificateWanted = "client-certificate-wanted"
        case untrustedAndClientCertificateRequired = "untrusted-and-client-certificate"
        case basic
        case digestMD5 = "digest-md5"
        case digestSHA256 = "digest-sha-256"
        case digestSHA512Half = "digest-sha-512-256"
        case digestAuthInt = "digest-auth-int"
        case digestNextNonce = "digest-next-nonce"
        case scramSHA256 = "scram-sha-256"
        case bearer
        case ntlm
        case wrongPasswordForever = "wrong-password-forever"
        case proxyOpen = "proxy-open"
        case proxyBasic = "proxy-basic"
        case proxyDigest = "proxy-digest"
        case proxyNTLM = "proxy-ntlm"
        case proxySOCKS = "proxy-socks"
        case proxySOCKSPassword = "proxy-socks-password"
        case slowBody = "slow-body"
        case truncatedBody = "truncated-body"
        case endlessRedirect = "endless-redirect"
    }

    /// What a client sees that trusts the lab's authority, has its client identity and knows its password.
    public enum Expectation: String, Hashable, Sendable {
        case delivered
        /// Distrusted, and delivered only to a client whose user accepts the chain.
        case deliveredOnceAccepted = "delivered once accepted"
        case notTrusted = "not trusted"
        case notAuthenticated = "not authenticated"
        case truncated
        case tooManyRedirects = "too many redirects"
    }

    /// A user and a password that the server lets in; they are no secret.
    public struct Credentials: Hashable, Sendable {
        /// The user name.
        public let user: String
        /// The password.
        public let password: String

        package init(user: String, password: String) {
            self.user = user
            self.password = password
        }

        /// Those that the lab's servers and proxies let in.
        package static let lab = Self(user: "lab", password: "countersign")
    }

    /// What the lab's Bearer server lets in.
    static let labToken = "countersign-lab-token"

    /// Which challenge or fault it is for.
    public let kind: Kind
    /// The port on 127.0.0.1.
    public let port: Int

    /// Such as `good-https`.
    public var name: String { kind.rawValue }

    /// What to get; for a proxy, what to go through.
    public var url: String { "\(kind.scheme)://localhost:\(port)\(kind.isProxy ? "" : kind.path)" }

    /// What the server presents, in one line.
    public var presents: String { kind.presents }

    /// What a well equipped client should see.
    public var expectation: Expectation { kind.expectation }

    /// Who is let in; `nil` where nobody is asked, or nobody is let in.
    public var credentials: Credentials? { kind.wantsPassword ? .lab : nil }

    /// What opens without a user; `nil` where no token is asked for.
    public var token: String? { kind == .bearer ? Self.labToken : nil }
}

extension LabServer.Kind {
    /// Whether it is a proxy rather than an origin.
    public var isProxy: Bool {
        [.proxyOpen, .proxyBasic, .proxyDigest, .proxyNTLM].contains(self) || socksGate != nil
    }

    /// Whom a proxy of SOCKS lets in; `nil` for every other server.
    var socksGate: SOCKSGate? {
        switch self {
        case .proxySOCKS: .open
        case .proxySOCKSPassword: .login(.lab)
        default: nil
        }
    }

    fileprivate var scheme: String { socksGate != nil ? "socks5h" : usesTLS ? "https" : "http" }

    var usesTLS: Bool {
        switch self {
        case .plainHTTP, .slowBody, .truncatedBody, .endlessRedirect: false
        default: !isProxy
        }
    }

    /// The method of the challenge that a client meets; `nil` where it meets none.
    package var method: AuthenticationMethod? {
        switch self {
        case .basic, .wrongPasswordForever, .proxyBasic: .basic
        case .digestMD5, .digestSHA256, .digestSHA512Half, .digestAuthInt, .digestNextNonce, .proxyDigest: .digest
        case .scramSHA256: .scramSHA256
        case .bearer: .bearer
        case .ntlm, .proxyNTLM: .ntlm
        case .proxySOCKSPassword: .socksPassword
        case .clientCertificateRequired, .clientCertificateWanted, .untrustedAndClientCertificateRequired:
            .clientCertificate
        default: nil
        }
    }

    var wantsPassword: Bool { self != .wrongPasswordForever && method?.traits.carries == .password }

    fileprivate var path: String {
        switch self {
        case .slowBody: "/slow"
        case .truncatedBody: "/truncated"
        case .endlessRedirect: "/endless/0"
        case .bearer, .wrongPasswordForever: "/protected/"
        default: wantsPassword ? "/protected/" : "/"
        }
    }

    fileprivate var presents: String {
        switch self {
        case .plainHTTP: "http without TLS; /image.png, /ca.pem, /bytes/N, /echo, /fault/NAME"
        case .goodHTTPS: "a chain of the lab's authority; the same resources"
        case .selfSigned: "a certificate that is signed by itself"
        case .unknownRoot: "a chain of an authority that nobody trusts"
        case .expired: "a certificate that expired yesterday"
        case .notYetValid: "a certificate that is valid from tomorrow"
        case .wrongHost: "a certificate for elsewhere.test"
        case .missingIntermediate: "a leaf without the intermediate that issued it"
        case .clientCertificateRequired: "a demand for a certificate of the lab's authority"
        case .clientCertificateWanted: "a wish for a certificate of the lab's authority"
        case .untrustedAndClientCertificateRequired: "an unknown root and a demand for a client certificate"
        case .basic: "401 with Basic"
        case .digestMD5: "401 with Digest, MD5"
        case .digestSHA256: "401 with Digest, SHA-256"
        case .digestSHA512Half: "401 with Digest, SHA-512-256"
        case .digestAuthInt: "401 with Digest, SHA-256, over the body too"
        case .digestNextNonce: "401 with Digest, SHA-256; each nonce is good for one request"
        case .scramSHA256: "401 with SCRAM-SHA-256"
        case .bearer: "401 with Bearer; a token that is not the lab's has expired"
        case .ntlm: "401 with NTLM, version 2, bound to the certificate"
        case .wrongPasswordForever: "401 with Basic, whatever the password"
        case .proxyOpen: "a proxy that asks for nothing"
        case .proxyBasic: "a proxy: 407 with Basic"
        case .proxyDigest: "a proxy: 407 with Digest, SHA-256"
        case .proxyNTLM: "a proxy: 407 with NTLM, version 2"
        case .proxySOCKS: "a proxy of SOCKS 5 that asks for nothing"
        case .proxySOCKSPassword: "a proxy of SOCKS 5 that asks for a user and a password"
        case .slowBody: "a body that drips for a second and a half"
        case .truncatedBody: "half of the body that it promised"
        case .endlessRedirect: "a redirect to a redirect to a redirect"
        }
    }

    fileprivate var expectation: LabServer.Expectation {
        switch self {
        case .selfSigned, .unknownRoot, .expired, .notYetValid, .wrongHost, .missingIntermediate: .notTrusted
        case .untrustedAndClientCertificateRequired: .deliveredOnceAccepted
        case .wrongPasswordForever: .notAuthenticated
        case .truncatedBody: .truncated
        case .endlessRedirect: .tooManyRedirects
        default: .delivered
        }
    }
}
