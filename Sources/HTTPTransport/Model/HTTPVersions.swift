// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Which versions of HTTP are spoken with origins; with proxies it is always HTTP/1.1.
public enum HTTPVersions: Hashable, Sendable {
    /// HTTP/2 where a server offers it in the TLS handshake, and otherwise HTTP/1.1.
    case all
    case onlyHTTP1
    /// HTTP/2, also without TLS, where the server must be known to speak it (RFC 9113 section 3.3).
    case onlyHTTP2

    /// What is offered by ALPN (RFC 7301).
    var applicationProtocols: [String] {
        switch self {
        case .all: ["h2", "http/1.1"]
        case .onlyHTTP1: ["http/1.1"]
        case .onlyHTTP2: ["h2"]
        }
    }
}
