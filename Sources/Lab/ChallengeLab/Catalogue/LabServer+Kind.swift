// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Challenges
import Identities
import X509

extension LabServer {
    /// The kind of a server: what it presents to clients, how it does that, and the behaviour of a correct client.
    ///
    /// Each kind is one constant, in a file for its part of the catalogue, such as `LabServer.Kind+Certificates.swift`.
    public struct Kind: Sendable {
        /// The name of the server, such as `good-https`.
        public let rawValue: String
        let group: LabServer.Group
        /// The description of the server, in one line.
        let presents: String
        var expectation = LabServer.Expectation.delivered
        var failureCode: String?
        var needs: Set<LabServer.Need> = []
        /// The method of the challenge that a client meets; `nil` where it meets none.
        package var method: AuthenticationMethod?
        var host = "localhost"
        var path = "/"
        /// What the path leads to in the end.
        var body = Array("Countersign lab\n".utf8)
        var scheme = Scheme.https
        /// `nil` where the server speaks no TLS.
        var tls: TLS? = TLS()
        var role = LabRole.origin
        /// Whom a proxy of SOCKS lets in.
        var socksGate: SOCKSGate?
        /// What is done to every connection, below TLS and HTTP, instead of serving.
        var fault: Fault?
        /// Makes the gate in the way.
        var gate: @Sendable (Site) throws -> (any LabGate)? = { _ in nil }
    }
}

extension LabServer.Kind: RawRepresentable, CaseIterable, Hashable, CustomStringConvertible {
    /// All kinds, in the order of the catalogue.
    public static let allCases: [Self] =
        goodKinds + certificateKinds + revocationKinds + pinKinds + tlsKinds + clientCertificateKinds
        + authenticationKinds + proxyKinds + httpKinds + faultKinds

    /// Finds the kind with a name; `nil` if there is none.
    public init?(rawValue: String) {
        guard let kind = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = kind
    }

    /// Compares the names.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// The name of the server.
    public var description: String { rawValue }

    /// Whether it is a proxy rather than an origin.
    public var isProxy: Bool { role == .proxy }
}

// MARK: Parts of a description

extension LabServer.Kind {
    /// The scheme of a server's URL.
    enum Scheme: String {
        case http
        case https
        case socks = "socks5h"
    }

    /// The server's half of TLS.
    struct TLS: Sendable {
        /// Which client certificates are asked for.
        enum ClientCertificate {
            case none
            case wanted
            case required
            /// Only those of an authority that issued none to the lab's client.
            case requiredOfStranger
        }

        /// The only version that is spoken.
        enum Version {
            case tls10
            case tls11
            case tls12
            case tls13
        }

        /// What the server presents.
        var chain: @Sendable (LabCertificates) async throws -> Identity = { $0.good }
        var clientCertificate = ClientCertificate.none
        /// `nil` where TLS 1.2 and 1.3 are spoken.
        var version: Version?
    }

    /// The server of a gate.
    struct Site {
        let certificate: Certificate
        /// The names and addresses at which the server is reached.
        let names: [String]
    }
}

// MARK: Servers of one sort

extension LabServer.Kind {
    /// A server of https whose chain is trusted.
    static func trusted(
        _ name: String, _ presents: String, in group: LabServer.Group = .certificates, host: String = "localhost",
        needs: Set<LabServer.Need> = [], _ chain: @escaping @Sendable (LabCertificates) async throws -> Identity
    ) -> Self {
        Self(rawValue: name, group: group, presents: presents, needs: needs, host: host, tls: TLS(chain: chain))
    }

    /// A server of https whose chain is not trusted, and the code of the reason.
    static func distrusted(
        _ name: String, _ presents: String, _ code: String, in group: LabServer.Group = .certificates,
        host: String = "localhost", needs: Set<LabServer.Need> = [],
        _ chain: @escaping @Sendable (LabCertificates) async throws -> Identity
    ) -> Self {
        Self(
            rawValue: name, group: group, presents: presents, expectation: .notTrusted, failureCode: "trust." + code,
            needs: needs, host: host, tls: TLS(chain: chain))
    }

    /// A server of one version of TLS.
    static func version(_ version: TLS.Version, _ number: String, failureCode: String? = nil) -> Self {
        Self(
            rawValue: "tls-" + number, group: .tls, presents: "TLS \(number) and no other version",
            expectation: failureCode == nil ? .delivered : .noSecureConnection, failureCode: failureCode,
            tls: TLS(version: version))
    }

    /// A server of https that asks for a client certificate.
    static func asking(_ name: String, _ presents: String, for certificate: TLS.ClientCertificate) -> Self {
        Self(
            rawValue: name, group: .clientCertificates, presents: presents, needs: [.identity],
            method: .clientCertificate, tls: TLS(clientCertificate: certificate))
    }

    /// A server of https whose resource lies behind a gate; the method is `nil` where no client can answer the challenge.
    static func guarded(
        _ name: String, _ method: AuthenticationMethod?, _ presents: String,
        expect expectation: LabServer.Expectation = .delivered, code: String? = nil,
        _ gate: @escaping @Sendable (Site) throws -> any LabGate
    ) -> Self {
        Self(
            rawValue: name, group: .authentication, presents: presents, expectation: expectation, failureCode: code,
            needs: method?.needs ?? [.password], method: method, path: "/protected/", gate: gate)
    }

    /// A proxy of HTTP.
    static func proxy(
        _ name: String, _ presents: String, method: AuthenticationMethod? = nil, tls: TLS? = nil,
        _ gate: @escaping @Sendable (Site) throws -> (any LabGate)? = { _ in nil }
    ) -> Self {
        Self(
            rawValue: name, group: .proxies, presents: presents, needs: (method?.needs ?? []).union([.proxy]),
            method: method, scheme: tls == nil ? .http : .https, tls: tls, role: .proxy, gate: gate)
    }

    /// A proxy of SOCKS 5.
    static func socks(_ name: String, _ presents: String, method: AuthenticationMethod? = nil, _ gate: SOCKSGate)
        -> Self
    {
        Self(
            rawValue: name, group: .proxies, presents: presents, needs: (method?.needs ?? []).union([.proxy]),
            method: method, scheme: .socks, tls: nil, role: .proxy, socksGate: gate)
    }

    /// A resource of http that nothing guards.
    static func http(
        _ name: String, _ presents: String, path: String, expect expectation: LabServer.Expectation = .delivered,
        code: String? = nil, needs: Set<LabServer.Need> = [], body: String = "Countersign lab\n"
    ) -> Self {
        Self(
            rawValue: name, group: .http, presents: presents, expectation: expectation, failureCode: code, needs: needs,
            path: path, body: Array(body.utf8), scheme: .http, tls: nil)
    }

    /// A fault of the catalogue of faults, over http.
    static func fault(
        _ name: String, _ fault: String, _ presents: String, _ code: String,
        expect expectation: LabServer.Expectation = .responseRefused, needs: Set<LabServer.Need> = []
    ) -> Self {
        Self(
            rawValue: name, group: .faults, presents: presents, expectation: expectation, failureCode: code,
            needs: needs, path: "/fault/" + fault, scheme: .http, tls: nil)
    }

    /// The same server and another path.
    func leading(to path: String) -> Self {
        var kind = self
        kind.path = path
        return kind
    }

    /// Another expectation of the same server.
    func expecting(_ expectation: LabServer.Expectation, _ code: String?) -> Self {
        var kind = self
        (kind.expectation, kind.failureCode) = (expectation, code)
        return kind
    }

    /// A server of https that publishes evidence of whether its certificate is revoked; its chain is trusted if there is no code.
    static func revocable(
        _ name: String, _ presents: String, _ evidence: LabCertificates.Evidence, code: String? = nil,
        needs: Set<LabServer.Need> = [.revocationLists]
    ) -> Self {
        let chain: @Sendable (LabCertificates) async throws -> Identity = { try await $0.revocable(evidence, name) }
        return code.map { distrusted(name, presents, $0, in: .revocation, needs: needs, chain) }
            ?? trusted(name, presents, in: .revocation, needs: needs, chain)
    }
}

extension AuthenticationMethod {
    /// What a client needs to answer a challenge of the method.
    fileprivate var needs: Set<LabServer.Need> {
        switch traits.carries {
        case .password: [.password]
        case .token: [.token]
        default: []
        }
    }
}
