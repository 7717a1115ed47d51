// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import HTTPTypes
import NIOCore
import X509

/// A server program of another project that `make interop` has started.
protocol InteropPeer {
    /// The servers of the program, by their names in the value file.
    associatedtype Server: RawRepresentable<String>

    var values: InteropValues { get }
}

extension InteropPeer {
    func value(_ key: String) throws -> String {
        try values[key]
    }

    func url(_ server: Server, _ path: String) throws -> String {
        try value(server.rawValue) + path
    }

    func authority() throws -> [Certificate] {
        try CertificateFile.certificates(in: try values.bytes(of: "anchors"))
    }

    func identity() throws -> Identity {
        try Identity(pem: try values.bytes(of: "identity"))
    }

    /// An identity whose issuer is unknown to all servers.
    func stranger() throws -> Identity {
        try Identity(pem: try values.bytes(of: "stranger"))
    }

    func password() throws -> Credential {
        .password(user: try value("user"), password: Secret(try value("password")))
    }

    func wrongPassword() throws -> Credential {
        .password(user: try value("user"), password: Secret("not it"))
    }

    /// Runs a closure with a session that trusts the servers' authority.
    func withSession(
        trust: TrustPolicy? = nil, handlers: ChallengeHandlers = [:], through proxy: Server? = nil,
        tlsVersions: HTTPSession.TLSVersions = .all, tlsLibrary: ServerPolicy.TLSLibrary = .boringSSL,
        httpVersions: HTTPSession.HTTPVersions = .all, authenticators: AuthenticatorRegistry = [:],
        allowsNTLMOverPlainHTTP: Bool = false,
        _ body: (HTTPSession) async throws -> Void
    ) async throws {
        var configuration = HTTPSession.Configuration(
            trust: try trust ?? TrustPolicy(anchors: .only(authority())), handlers: handlers,
            proxy: try proxy.map { try Proxy(url($0, "")) })
        (configuration.tlsVersions, configuration.httpVersions) = (tlsVersions, httpVersions)
        configuration.policies.fallback.tlsLibrary = tlsLibrary
        configuration.authenticators = authenticators
        configuration.allowsNTLMOverPlainHTTP = allowsNTLMOverPlainHTTP
        // All peers support Expect: 100-continue, so a slow response must not cause the body to be sent.
        configuration.continueTimeout = .seconds(30)
        let session = HTTPSession(configuration)
        do {
            try await body(session)
            await session.close()
        } catch {
            await session.close()
            throw error
        }
    }
}

extension HTTPSession {
    /// Gets a page of one of a peer's servers.
    func text<Peer: InteropPeer>(
        of peer: Peer, _ server: Peer.Server, _ path: String = "/page.txt"
    ) async throws -> (status: Int, body: String) {
        let response = try await get(try peer.url(server, path))
        return (response.status.code, String(buffer: try await response.body.collect(upTo: 1 << 20)))
    }

    /// Uploads a body, and returns the status.
    func put<Peer: InteropPeer>(
        _ body: SessionRequestBody, to peer: Peer, _ server: Peer.Server, _ path: String
    ) async throws -> Int {
        let response = try await send(SessionRequest(url: try peer.url(server, path), method: .put, body: body))
        _ = try await response.body.collect(upTo: 1 << 20)
        return response.status.code
    }
}
