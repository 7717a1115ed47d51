// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The versions of HTTP that may be used with origins; with proxies it is always HTTP/1.1.
public enum HTTPVersions: Hashable, Sendable {
    /// HTTP/2 where a server offers it in the TLS handshake, and otherwise HTTP/1.1.
    case all
    /// HTTP/1.1 only.
    case onlyHTTP1
    /// HTTP/2 only, also without TLS. There the client must know beforehand that the server supports it (RFC 9113 section 3.3).
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
