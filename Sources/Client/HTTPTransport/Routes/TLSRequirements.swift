// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust
import TLSTransport

/// The requirements for one server's TLS handshake.
package struct TLSRequirements: Hashable, Sendable {
    /// The policy that the server's chain must satisfy.
    package let trust: TrustPolicy
    /// The TLS versions that may be negotiated.
    package let versions: TLSVersions
    /// The choice of the TLS library.
    package let library: ServerPolicy.TLSLibrary
    /// Whether TLS 1.0 and 1.1 and weak algorithms are accepted, by OpenSSL.
    package let allowsLegacy: Bool
    /// Whether the administrator's configuration of OpenSSL applies.
    package let usesSystemConfiguration: Bool

    /// Creates requirements; a leniency and the administrator's configuration need OpenSSL.
    package init(
        trust: TrustPolicy, versions: TLSVersions, library: ServerPolicy.TLSLibrary = .boringSSL,
        allowsLegacy: Bool = false, usesSystemConfiguration: Bool = false
    ) {
        (self.trust, self.versions) = (trust, versions)
        self.library = allowsLegacy || usesSystemConfiguration ? .openSSL : library
        (self.allowsLegacy, self.usesSystemConfiguration) = (allowsLegacy, usesSystemConfiguration)
    }

    /// Returns the settings of a handshake.
    func settings(
        for peer: ConnectionPeer, _ httpVersions: HTTPVersions, by library: TLSLibrary
    ) -> TLSClientSettings {
        TLSClientSettings(
            // An IP address is not a server name (RFC 6066 section 3).
            serverName: peer.host.isAddress ? nil : peer.host.description, versions: range,
            applicationProtocols: httpVersions.applicationProtocols, library: library, allowsLegacy: allowsLegacy,
            usesSystemConfiguration: usesSystemConfiguration)
    }

    private var range: ClosedRange<TLSProtocolVersion> {
        switch versions {
        case .all: (allowsLegacy ? .tls10 : .tls12) ... .tls13
        case .onlyTLS12: .tls12 ... .tls12
        case .onlyTLS13: .tls13 ... .tls13
        }
    }
}

/// The TLS versions that may be negotiated.
@nonexhaustive
public enum TLSVersions: Hashable, Sendable {
    /// TLS 1.2 (RFC 5246) and TLS 1.3 (RFC 8446).
    case all
    /// TLS 1.2 only (RFC 5246).
    case onlyTLS12
    /// TLS 1.3 only (RFC 8446).
    case onlyTLS13
}

/// The HTTP versions that may be used with origins; proxies always use HTTP/1.1.
@nonexhaustive
public enum HTTPVersions: Hashable, Sendable {
    /// HTTP/2 if a server selects it in the TLS handshake, and otherwise HTTP/1.1.
    case all
    /// HTTP/1.1 only.
    case onlyHTTP1
    /// HTTP/2 only, even without TLS, which requires prior knowledge that the server supports it (RFC 9113
    /// section 3.3).
    case onlyHTTP2

    /// The protocols offered by ALPN (RFC 7301).
    var applicationProtocols: [String] {
        switch self {
        case .all: ["h2", "http/1.1"]
        case .onlyHTTP1: ["http/1.1"]
        case .onlyHTTP2: ["h2"]
        }
    }
}
