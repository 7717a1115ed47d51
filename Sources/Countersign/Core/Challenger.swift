// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges

/// Who may challenge a request: its origin or its proxy.
struct Challenger: Hashable, Sendable {
    let endpoint: Endpoint
    /// Of the URL, or by the proxy's kind.
    let scheme: String
    let role: ProtectionSpace.Role

    init(origin url: HTTPURL) {
        (endpoint, scheme, role) = (url.endpoint, url.scheme.rawValue, .origin)
    }

    init(proxy: Proxy) {
        (endpoint, scheme, role) = (proxy.endpoint, proxy.kind.rawValue, .proxy)
    }

    /// Scheme and authority.
    var origin: String {
        let authority = HTTPURL.Scheme(rawValue: scheme).map { endpoint.authority(for: $0) }
        return "\(scheme)://\(authority ?? endpoint.description)"
    }

    /// What a proxy of SOCKS asks for.
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
