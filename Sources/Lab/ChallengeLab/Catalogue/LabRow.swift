// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Identities
import X509

/// A row of the catalogue: what a server presents, how it does that, and what a correct client does.
struct LabRow: Sendable {
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

    /// What a gate may have to know of its server.
    struct Site {
        let certificate: Certificate
        /// The names and addresses at which the server is reached.
        let names: [String]
    }

    let group: LabServer.Group
    let presents: String
    var expectation = LabServer.Expectation.delivered
    var failureCode: String?
    var needs: Set<LabServer.Need> = []
    /// The method of the challenge that a client meets.
    var method: AuthenticationMethod?
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

extension LabRow {
    /// A body of which a client asks for a part.
    static let rangedBody = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    /// The range of ``rangedBody`` that is asked for, as it stands in a Range field (RFC 9110 section 14.1.2).
    static let range = "10-19"
    /// What the range holds.
    static let rangedPart = "ABCDEFGHIJ"
    /// The body of the slow server.
    static let slowBody = String(repeating: ".", count: 15_000)

    /// A server of https whose chain is trusted.
    static func trusted(
        _ presents: String, in group: LabServer.Group = .certificates, host: String = "localhost",
        needs: Set<LabServer.Need> = [], _ chain: @escaping @Sendable (LabCertificates) async throws -> Identity
    ) -> Self {
        Self(group: group, presents: presents, needs: needs, host: host, tls: TLS(chain: chain))
    }

    /// A server of https whose chain is not trusted, and the code of the reason.
    static func distrusted(
        _ presents: String, _ code: String, in group: LabServer.Group = .certificates, host: String = "localhost",
        needs: Set<LabServer.Need> = [], _ chain: @escaping @Sendable (LabCertificates) async throws -> Identity
    ) -> Self {
        Self(
            group: group, presents: presents, expectation: .notTrusted, failureCode: "trust." + code, needs: needs,
            host: host, tls: TLS(chain: chain))
    }

    /// A server of one version of TLS.
    static func version(_ version: TLS.Version, _ name: String, failureCode: String? = nil) -> Self {
        Self(
            group: .tls, presents: "TLS \(name) and no other version",
            expectation: failureCode == nil ? .delivered : .noSecureConnection, failureCode: failureCode,
            tls: TLS(version: version))
    }

    /// A server of https that asks for a client certificate.
    static func asking(_ presents: String, for certificate: TLS.ClientCertificate) -> Self {
        Self(
            group: .clientCertificates, presents: presents, needs: [.identity], method: .clientCertificate,
            tls: TLS(clientCertificate: certificate))
    }

    /// A server of https whose resource lies behind a gate; the method is `nil` where no client can answer the challenge.
    static func guarded(
        _ method: AuthenticationMethod?, _ presents: String, expect expectation: LabServer.Expectation = .delivered,
        code: String? = nil, _ gate: @escaping @Sendable (Site) throws -> any LabGate
    ) -> Self {
        Self(
            group: .authentication, presents: presents, expectation: expectation, failureCode: code,
            needs: method?.needs ?? [.password], method: method, path: "/protected/", gate: gate)
    }

    /// A proxy of HTTP.
    static func proxy(
        _ presents: String, method: AuthenticationMethod? = nil, tls: TLS? = nil,
        _ gate: @escaping @Sendable (Site) throws -> (any LabGate)? = { _ in nil }
    ) -> Self {
        Self(
            group: .proxies, presents: presents, needs: (method?.needs ?? []).union([.proxy]), method: method,
            scheme: tls == nil ? .http : .https, tls: tls, role: .proxy, gate: gate)
    }

    /// A proxy of SOCKS 5.
    static func socks(_ presents: String, method: AuthenticationMethod? = nil, _ gate: SOCKSGate) -> Self {
        Self(
            group: .proxies, presents: presents, needs: (method?.needs ?? []).union([.proxy]), method: method,
            scheme: .socks, tls: nil, role: .proxy, socksGate: gate)
    }

    /// A resource of http that nothing guards.
    static func http(
        _ presents: String, path: String, expect expectation: LabServer.Expectation = .delivered, code: String? = nil,
        needs: Set<LabServer.Need> = [], body: String = "Countersign lab\n"
    ) -> Self {
        Self(
            group: .http, presents: presents, expectation: expectation, failureCode: code, needs: needs, path: path,
            body: Array(body.utf8), scheme: .http, tls: nil)
    }

    /// A fault of the catalogue of faults, over http.
    static func fault(
        _ name: String, _ presents: String, _ code: String,
        expect expectation: LabServer.Expectation = .responseRefused, needs: Set<LabServer.Need> = []
    ) -> Self {
        Self(
            group: .faults, presents: presents, expectation: expectation, failureCode: code, needs: needs,
            path: "/fault/" + name, scheme: .http, tls: nil)
    }

    /// The same server and another path.
    func leading(to path: String) -> Self {
        var row = self
        row.path = path
        return row
    }

    /// Another expectation of the same server.
    func expecting(_ expectation: LabServer.Expectation, _ code: String?) -> Self {
        var row = self
        (row.expectation, row.failureCode) = (expectation, code)
        return row
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
