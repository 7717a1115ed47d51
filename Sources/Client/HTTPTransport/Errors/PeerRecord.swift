// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
package import NIOCore

/// The facts of one connection, collected while it is opened, and used for errors and for the user.
package final class PeerRecord: Sendable {
    /// The known facts of the connection.
    package struct Facts: Sendable {
        /// The TLS version, `TLSv1.2` or `TLSv1.3`; `nil` without TLS, and until the handshake is complete.
        package var version: String?
        /// The HTTP versions offered by ALPN (RFC 7301); `nil` without TLS.
        var offeredVersions: HTTPVersions?
        /// The protocol negotiated by ALPN (RFC 7301); `nil` if the server does not support ALPN.
        var applicationProtocol: String?
        /// Whether the first received byte does not begin a TLS record.
        var isNotTLS = false
        /// The code point of the cipher suite in IANA's registry; `nil` if it is unknown.
        package var cipherSuite: UInt16?
        /// The peer's address; `nil` if it is unknown.
        package var peerAddress: SocketAddress?
        /// The acceptable issuers of the server, DER-encoded; `nil` if they are unknown.
        var acceptableIssuers: AcceptableIssuers?
        /// The server's request for an identity; `nil` if it sent none.
        package var identityRequest: IdentityRequest?
        /// Whether an identity was sent to the server.
        var hasIdentity = false
        /// Whether the server requested an identity and received none.
        package var isAnonymous: Bool { identityRequest != nil && !hasIdentity }
        /// Whether a response has arrived.
        ///
        /// After that, a lost connection is not a reaction to the client's certificate.
        package var hasServed = false
        /// The server's reason for ending the HTTP/2 connection; `nil` if it has sent no GOAWAY.
        var goAway: GoAway?
        /// The error that ended the connection between two exchanges, or ``TransportError/poolClosed`` if the pool ended
        /// it.
        var lateFailure: (any Error)?
        /// Whether the pool ended the connection, with its running exchanges.
        var isAborted: Bool { lateFailure as? TransportError == .poolClosed }
    }

    private let box = NIOLockedValueBox(Facts())

    package init() {}

    /// A snapshot of the facts.
    package var facts: Facts { box.withLockedValue { $0 } }

    /// Whether an error ended the connection between two exchanges, or the pool ended it.
    var hasFailed: Bool { box.withLockedValue { $0.lateFailure != nil } }

    func note(_ change: (inout Facts) -> Void) {
        box.withLockedValue(change)
    }
}

/// A server's request for a client certificate (RFC 8446 section 4.3.2, RFC 5246 section 7.4.4).
package struct IdentityRequest: Equatable, Sendable {
    /// The issuers that the server named; `nil` if they are unknown, as in a TLS 1.2 renegotiation.
    package let issuers: AcceptableIssuers?

    static let withUnknownIssuers = Self(issuers: nil)
}

/// The distinguished names of acceptable issuers in a CertificateRequest (RFC 8446 section 4.2.4,
/// RFC 5246 section 7.4.4).
package struct AcceptableIssuers: Equatable, Sendable {
    /// The distinguished names, each in DER, in the server's order; empty if the server names none.
    package let names: [[UInt8]]
}

/// The cipher suites that BoringSSL negotiates, by their IANA names.
package enum CipherSuite {
    private static let names: [UInt16: String] = [
        0x1301: "TLS_AES_128_GCM_SHA256",
        0x1302: "TLS_AES_256_GCM_SHA384",
        0x1303: "TLS_CHACHA20_POLY1305_SHA256",
        0x002F: "TLS_RSA_WITH_AES_128_CBC_SHA",
        0x0035: "TLS_RSA_WITH_AES_256_CBC_SHA",
        0x009C: "TLS_RSA_WITH_AES_128_GCM_SHA256",
        0x009D: "TLS_RSA_WITH_AES_256_GCM_SHA384",
        0xC009: "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
        0xC00A: "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
        0xC013: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
        0xC014: "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
        0xC02B: "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
        0xC02C: "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
        0xC02F: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
        0xC030: "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        0xCCA8: "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
        0xCCA9: "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    ]

    /// Returns the registered name of a suite, or its code point in hexadecimal.
    package static func name(of suite: UInt16) -> String {
        names[suite] ?? "0x" + String(suite, radix: 16, uppercase: true)
    }
}
