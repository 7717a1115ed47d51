// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTypes

/// A server that may challenge a request: its origin or its proxy.
struct Challenger: Hashable, Sendable {
    let endpoint: HostEndpoint
    /// The scheme of the URL, or of the proxy's kind.
    let scheme: String
    let role: ProtectionSpace.Role

    init(origin url: HTTPURL) {
        (endpoint, scheme, role) = (url.endpoint, url.scheme.rawValue, .origin)
    }

    init(proxy: Proxy) {
        (endpoint, scheme, role) = (proxy.endpoint, proxy.kind.rawValue, .proxy)
    }

    /// The scheme and the authority.
    var origin: String {
        let authority = HTTPURL.Scheme(rawValue: scheme).map { endpoint.authority(for: $0) }
        return "\(scheme)://\(authority ?? endpoint.description)"
    }

    /// The protection space of the login to a SOCKS proxy.
    var socksSpace: ProtectionSpace { .socksPassword(at: endpoint) }

    var peer: SessionError.Peer { role == .proxy ? .proxy(endpoint) : .origin(endpoint) }

    func space(for challenge: HTTPChallenge) -> ProtectionSpace {
        ProtectionSpace(
            host: endpoint.host, port: endpoint.port, scheme: scheme, realm: challenge.realm,
            method: challenge.method, role: role)
    }

    func asks(in space: ProtectionSpace) -> Bool {
        space.host == endpoint.host && space.port == endpoint.port && space.scheme == scheme
            && space.role == role
    }
}

extension Challenger {
    private var challengeField: HTTPField.Name { role == .proxy ? .proxyAuthenticate : .wwwAuthenticate }

    private var informationField: HTTPField.Name {
        role == .proxy ? .proxyAuthenticationInfo : .authenticationInfo
    }

    /// Returns the challenges of a response, and the problems of those that cannot be read.
    func challenges(in fields: HTTPFields) -> HTTPChallenge.Reading {
        HTTPChallenge.read(fields[values: challengeField])
    }

    /// Returns the last step of an exchange, which a successful response contains; `nil` if it is missing or
    /// unreadable.
    func lastStep(of method: AuthenticationMethod, in fields: HTTPFields) -> HTTPChallenge? {
        challenges(in: fields).challenges.first { $0.method == method }
    }

    func hasInformation(in fields: HTTPFields) -> Bool { !fields[values: informationField].isEmpty }

    /// Returns the authentication information of a successful response.
    ///
    /// - Throws: ``SessionError`` of ``HTTPAuthenticationError/malformedChallenge(_:_:)``.
    func information(in fields: HTTPFields) throws -> HTTPAuthenticationInfo? {
        do {
            return try HTTPAuthenticationInfo(fields[values: informationField])
        } catch {
            throw SessionError.authentication(.malformedChallenge(peer, error))
        }
    }
}
