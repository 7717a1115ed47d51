// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges

/// Who may challenge a request: its origin or its proxy.
struct Asker: Hashable, Sendable {
    let endpoint: Endpoint
    let scheme: HTTPURL.Scheme
    let role: ProtectionSpace.Role

    init(origin url: HTTPURL) {
        (endpoint, scheme, role) = (url.endpoint, url.scheme, .origin)
    }

    init(proxy: Proxy) {
        (endpoint, scheme, role) = (proxy.endpoint, proxy.usesTLS ? .https : .http, .proxy)
    }

    /// Scheme and authority.
    var origin: String { "\(scheme.rawValue)://\(endpoint.authority(for: scheme))" }

    func space(for challenge: HTTPChallenge) -> ProtectionSpace {
        ProtectionSpace(
            host: endpoint.host, port: endpoint.port, scheme: scheme.rawValue, realm: challenge.realm,
            method: challenge.method, role: role)
    }

    func asks(in space: ProtectionSpace) -> Bool {
        space.host == endpoint.host && space.port == endpoint.port && space.scheme == scheme.rawValue
            && space.role == role
    }
}
