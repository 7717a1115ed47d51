// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Challenges
import Identities
import X509

extension LabServer {
    /// The kind of a server: its certificate or fault, its protocols, and the behaviour of a correct client.
    ///
    /// Each kind is one constant, in a file for its part of the catalogue, such as `LabServer.Kind+Certificates.swift`.
    public struct Kind: Sendable {
        /// The name of the server, such as `good-https`.
        public let rawValue: String
        let group: LabServer.Group
        /// The one-line description of the server.
        let presents: String
        var expectation = LabServer.Expectation.delivered
        var failureCode: String?
        var needs: Set<LabServer.Need> = []
        /// The method of the challenge that a client gets; `nil` if there is none.
        package var method: AuthenticationMethod?
        var host = "localhost"
        var path = "/"
        /// The body that a correct client gets.
        var body = Array("Countersign lab\n".utf8)
        var scheme = Scheme.https
        /// The TLS settings; `nil` if the server does not use TLS.
        var tls: TLS? = TLS()
        var role = LabRole.origin
        /// The authentication of a SOCKS proxy; `nil` for other servers.
        var socksGate: SOCKSGate?
        /// The fault of every connection, below TLS and HTTP, which replaces the service; `nil` for none.
        var fault: Fault?
        /// Creates the gate that authenticates clients; it returns `nil` if there is none.
        var gate: @Sendable (Site) throws -> (any LabGate)? = { _ in nil }
    }
}

extension LabServer.Kind: RawRepresentable, CaseIterable, Hashable, CustomStringConvertible {
    /// All kinds, in the order of the catalogue.
    public static let allCases: [Self] =
        goodKinds + certificateKinds + revocationKinds + transparencyKinds + pinKinds + tlsKinds
        + clientCertificateKinds + authenticationKinds + proxyKinds + httpKinds + faultKinds

    /// Returns the kind with a name; `nil` if there is none.
    public init?(rawValue: String) {
        guard let kind = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = kind
    }

    /// Returns whether the names are equal.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// The name of the server.
    public var description: String { rawValue }

    /// Whether the server is a proxy rather than an origin.
    public var isProxy: Bool { role == .proxy }
}

// MARK: Properties

extension LabServer.Kind {
    /// The scheme of a server's URL.
    enum Scheme: String {
        case http
        case https
        case socks = "socks5h"
    }

    /// The TLS settings of a server.
    struct TLS: Sendable {
        /// The request for a client certificate.
        enum ClientCertificate {
            case none
            case wanted
            case required
            /// The server requires a certificate of an authority that did not issue the lab's client certificate.
            case requiredOfOtherAuthority
        }

        /// The only supported TLS version.
        enum Version {
            case tls10
            case tls11
            case tls12
            case tls13
        }

        /// Creates the server's identity.
        var chain: @Sendable (LabCertificates) async throws -> Identity = { $0.good }
        var clientCertificate = ClientCertificate.none
        /// The only supported version; `nil` for TLS 1.2 and 1.3.
        var version: Version?
        /// The OCSP response for clients that request one; `nil` for none.
        var staple: LabCertificates.Staple?
        /// Whether the server sends timestamps of the lab's logs to clients that request them.
        var sendsTimestamps = false
    }

    /// The addresses of the server for which a gate is created.
    struct Site {
        let certificate: Certificate
        /// The names and addresses of the server.
        let names: [String]
    }
}

// MARK: Similar servers

extension LabServer.Kind {
    /// Returns an https server with a trusted chain.
    static func trusted(
        _ name: String, _ presents: String, in group: LabServer.Group = .certificates, host: String = "localhost",
        needs: Set<LabServer.Need> = [], _ chain: @escaping @Sendable (LabCertificates) async throws -> Identity
    ) -> Self {
        Self(rawValue: name, group: group, presents: presents, needs: needs, host: host, tls: TLS(chain: chain))
    }

    /// Returns an https server with an untrusted chain.
    ///
    /// The code is that of the expected error.
    static func distrusted(
        _ name: String, _ presents: String, _ code: String, in group: LabServer.Group = .certificates,
        host: String = "localhost", needs: Set<LabServer.Need> = [],
        _ chain: @escaping @Sendable (LabCertificates) async throws -> Identity
    ) -> Self {
        Self(
            rawValue: name, group: group, presents: presents, expectation: .notTrusted, failureCode: "trust." + code,
            needs: needs, host: host, tls: TLS(chain: chain))
    }

    /// Returns a server with only one TLS version.
    static func version(_ version: TLS.Version, _ number: String, failureCode: String? = nil) -> Self {
        Self(
            rawValue: "tls-" + number, group: .tls, presents: "TLS \(number) and no other version",
            expectation: failureCode == nil ? .delivered : .noSecureConnection, failureCode: failureCode,
            tls: TLS(version: version))
    }

    /// Returns an https server that requests a client certificate.
    static func asking(_ name: String, _ presents: String, for certificate: TLS.ClientCertificate) -> Self {
        Self(
            rawValue: name, group: .clientCertificates, presents: presents, needs: [.identity],
            method: .clientCertificate, tls: TLS(clientCertificate: certificate))
    }

    /// Returns an https server that requires authentication; the method is `nil` if no client can answer the challenge.
    static func guarded(
        _ name: String, _ method: AuthenticationMethod?, _ presents: String,
        expect expectation: LabServer.Expectation = .delivered, code: String? = nil,
        _ gate: @escaping @Sendable (Site) throws -> any LabGate
    ) -> Self {
        Self(
            rawValue: name, group: .authentication, presents: presents, expectation: expectation, failureCode: code,
            needs: method?.needs ?? [.password], method: method, path: "/protected/", gate: gate)
    }

    /// Returns an HTTP proxy.
    static func proxy(
        _ name: String, _ presents: String, method: AuthenticationMethod? = nil, tls: TLS? = nil,
        _ gate: @escaping @Sendable (Site) throws -> (any LabGate)? = { _ in nil }
    ) -> Self {
        Self(
            rawValue: name, group: .proxies, presents: presents, needs: (method?.needs ?? []).union([.proxy]),
            method: method, scheme: tls == nil ? .http : .https, tls: tls, role: .proxy, gate: gate)
    }

    /// Returns a SOCKS 5 proxy.
    static func socks(_ name: String, _ presents: String, method: AuthenticationMethod? = nil, _ gate: SOCKSGate)
        -> Self
    {
        Self(
            rawValue: name, group: .proxies, presents: presents, needs: (method?.needs ?? []).union([.proxy]),
            method: method, scheme: .socks, tls: nil, role: .proxy, socksGate: gate)
    }

    /// Returns an http resource that requires no authentication.
    static func http(
        _ name: String, _ presents: String, path: String, expect expectation: LabServer.Expectation = .delivered,
        code: String? = nil, needs: Set<LabServer.Need> = [], body: String = "Countersign lab\n"
    ) -> Self {
        Self(
            rawValue: name, group: .http, presents: presents, expectation: expectation, failureCode: code, needs: needs,
            path: path, body: Array(body.utf8), scheme: .http, tls: nil)
    }

    /// Returns an http server with a fault of ``Fault/ofHTTP1``.
    static func fault(
        _ name: String, _ fault: String, _ presents: String, _ code: String,
        expect expectation: LabServer.Expectation = .responseRefused, needs: Set<LabServer.Need> = []
    ) -> Self {
        Self(
            rawValue: name, group: .faults, presents: presents, expectation: expectation, failureCode: code,
            needs: needs, path: "/fault/" + fault, scheme: .http, tls: nil)
    }

    /// Returns the server with another path.
    func leading(to path: String) -> Self {
        var kind = self
        kind.path = path
        return kind
    }

    /// Returns the server with another expectation.
    func expecting(_ expectation: LabServer.Expectation, _ code: String?) -> Self {
        var kind = self
        (kind.expectation, kind.failureCode) = (expectation, code)
        return kind
    }

    /// Returns an https server that publishes revocation information.
    ///
    /// Its chain is trusted if there is no code.
    static func revocable(
        _ name: String, _ presents: String, _ evidence: LabCertificates.Evidence, code: String? = nil,
        needs: Set<LabServer.Need> = [.revocationLists]
    ) -> Self {
        let chain: @Sendable (LabCertificates) async throws -> Identity = { try await $0.revocable(evidence, name) }
        return code.map { distrusted(name, presents, $0, in: .revocation, needs: needs, chain) }
            ?? trusted(name, presents, in: .revocation, needs: needs, chain)
    }

    /// Returns an https server with a certificate that requires a stapled OCSP response, whose responder does not answer.
    ///
    /// Its chain is trusted if there is no code.
    static func stapling(
        _ name: String, _ presents: String, _ staple: LabCertificates.Staple?, code: String? = nil
    ) -> Self {
        let chain: @Sendable (LabCertificates) async throws -> Identity = { try $0.requiringStaple() }
        var kind =
            code.map { distrusted(name, presents, $0, in: .revocation, chain) }
            ?? trusted(name, presents, in: .revocation, chain)
        kind.tls?.staple = staple
        return kind
    }
}

extension AuthenticationMethod {
    /// The settings that a client needs to answer a challenge of the method.
    fileprivate var needs: Set<LabServer.Need> {
        switch traits.carries {
        case .password: [.password]
        case .token: [.token]
        default: []
        }
    }
}
