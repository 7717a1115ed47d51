// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Identities

/// The settings of a client's connection.
package struct TLSClientSettings: Hashable, Sendable {
    /// The server's DNS name in ASCII, sent by SNI (RFC 6066 section 3); `nil` for an IP address.
    package var serverName: String?
    /// The offered versions.
    package var versions: ClosedRange<TLSProtocolVersion>
    /// The protocols offered by ALPN (RFC 7301), in the order of preference; empty for no offer.
    package var applicationProtocols: [String]
    /// The library of the connection.
    package var library: TLSLibrary
    /// Whether versions before TLS 1.2, and weak suites and signatures are accepted, which only OpenSSL can do.
    ///
    /// OpenSSL then also accepts servers without RFC 5746, which BoringSSL always accepts; neither renegotiates with them.
    package var allowsLegacy: Bool
    /// Whether the administrator's `openssl.cnf` decides on suites, groups, signatures and providers, which only OpenSSL
    /// can do; it may exclude some of ``versions``, and has precedence over ``allowsLegacy``.
    package var usesSystemConfiguration: Bool

    package init(
        serverName: String?, versions: ClosedRange<TLSProtocolVersion> = .tls12 ... .tls13,
        applicationProtocols: [String] = [], library: TLSLibrary = .boringSSL, allowsLegacy: Bool = false,
        usesSystemConfiguration: Bool = false
    ) {
        self.serverName = serverName
        self.versions = versions
        self.applicationProtocols = applicationProtocols
        self.library = library
        self.allowsLegacy = allowsLegacy
        self.usesSystemConfiguration = usesSystemConfiguration
    }
}

/// The data with which a server proves its identity.
package struct TLSServerCredentials: Hashable, Sendable {
    /// The certificates in DER, as sent, leaf first; in a resumption, the certificates of the first handshake.
    package let chain: [[UInt8]]
    /// The stapled OCSP response (RFC 6066 section 8); `nil` if the server sent none.
    package let staple: [UInt8]?
    /// The SignedCertificateTimestampList with its length (RFC 6962 section 3.3); `nil` if the server sent none.
    package let timestamps: [UInt8]?
    /// The properties of the connection that are known.
    package let facts: TLSConnectionFacts?

    /// Whether a session is resumed.
    package var isResumption: Bool { facts?.isResumed ?? false }
}

/// A server's request for a client certificate.
package struct TLSIdentityRequest: Hashable, Sendable {
    /// The phase of a connection.
    package enum Phase: Sendable {
        case handshake
        /// A second handshake in TLS 1.2 (RFC 5746).
        case renegotiation
        /// The time after the handshake of TLS 1.3 (RFC 8446 section 4.6.2).
        case postHandshake
    }

    /// The phase in which the server asks.
    package let phase: Phase
    /// The version of the connection.
    package let version: TLSProtocolVersion
    /// The distinguished names of the acceptable issuers, each in DER; empty if the server names none.
    package let issuers: [[UInt8]]
    /// The signature algorithms that the server accepts; empty if it names none.
    package let signatureSchemes: [TLSSignatureScheme]

    /// Creates a request.
    ///
    /// Before TLS 1.3, the certificate types exclude algorithms too (RFC 5246 section 7.4.4): RSA needs rsa_sign (1), and
    /// ECDSA and EdDSA need ecdsa_sign (64, RFC 8422 section 5.5).
    package init(
        phase: Phase, version: TLSProtocolVersion, issuers: [[UInt8]], signatureSchemes: [TLSSignatureScheme],
        certificateTypes: [UInt8]
    ) {
        (self.phase, self.version, self.issuers) = (phase, version, issuers)
        let usable = signatureSchemes.filter { scheme in
            switch scheme.rawValue {
            case 0x0804...0x0806: certificateTypes.contains(1)
            case 0x0807: certificateTypes.contains(64)
            case let number where number & 0xFF == 1: certificateTypes.contains(1)
            case let number where number & 0xFF == 3: certificateTypes.contains(64)
            default: true
            }
        }
        let isExcluded = usable.isEmpty && !signatureSchemes.isEmpty
        // An empty list would permit every algorithm; the number 0 is the algorithm "anonymous", which signs nothing.
        self.signatureSchemes =
            version == .tls13 ? signatureSchemes : isExcluded ? [TLSSignatureScheme(rawValue: 0)] : usable
    }
}

/// The properties of a connection after a handshake.
package struct TLSConnectionFacts: Hashable, Sendable {
    package let version: TLSProtocolVersion
    /// The name of the cipher suite in IANA's registry.
    package let cipherSuite: String
    /// The group of the key exchange; `nil` if it used none.
    package let group: TLSGroup?
    /// The algorithm of the server's signature, in a resumption that of the first handshake; `nil` if the server signed
    /// nothing.
    package let signatureScheme: TLSSignatureScheme?
    /// The protocol negotiated by ALPN; `nil` if the server selected none.
    package let applicationProtocol: String?
    /// Whether a session was resumed.
    package let isResumed: Bool
}

/// The state with which a later connection to the same server is resumed.
///
/// It contains secrets and stays in memory. A resumption accepts the decisions of the first connection, so sessions are
/// stored by everything that these depended on.
package final class TLSSession: Sendable {
    /// The facts of the first connection that the library's object does not contain.
    struct Origin: Sendable {
        let credentials: TLSServerCredentials
        let signatureScheme: TLSSignatureScheme?
        /// The time until which the connection may be resumed, again and again, in seconds since 1970.
        let end: UInt64
    }

    /// The library that can resume the session.
    package let library: TLSLibrary
    /// Whether only one connection may use the session (RFC 8446 appendix C.4).
    package let isSingleUse: Bool
    /// The time at which the session expires, in seconds since 1970.
    package let expiry: UInt64
    /// The library's object, which is never changed and counts its references atomically.
    nonisolated(unsafe) let object: OpaquePointer
    /// The facts of the first connection; `nil` if the library's object contains them.
    let origin: Origin?
    private let release: @Sendable (OpaquePointer) -> Void

    /// Creates a session that owns the library's object.
    init(
        _ object: OpaquePointer, of library: TLSLibrary, isSingleUse: Bool, expiry: UInt64, origin: Origin? = nil,
        release: @escaping @Sendable (OpaquePointer) -> Void
    ) {
        (self.library, self.isSingleUse, self.expiry) = (library, isSingleUse, expiry)
        (self.object, self.origin, self.release) = (object, origin, release)
    }

    deinit { release(object) }
}
