// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The requirements that a server must meet: trust in its chain, TLS, and authentication methods.
public struct ServerPolicy: Hashable, Sendable {
    /// The trust policy for the server's chain.
    public var trust: TrustPolicy
    /// The minimum TLS version.
    public var minimumTLSVersion: TLSVersion
    /// Whether `http` URLs are allowed, although an attacker on the network can read and change their traffic.
    public var allowsPlainHTTP: Bool
    /// The authentication methods with which the client may answer the server's challenges.
    ///
    /// A server that offers only other methods gets no credentials. For a proxy, only an entry for its domain counts,
    /// never ``DomainPolicies/fallback``.
    public var methods: AllowedMethods
    /// The TLS library of connections to the server.
    public var tlsLibrary: TLSLibrary
    /// Whether TLS 1.0 and 1.1 (which RFC 8996 forbids), and weak suites and signatures are accepted, for servers that
    /// cannot be updated.
    ///
    /// Such connections use OpenSSL, whatever ``tlsLibrary`` is. An attacker on the network may be able to read and
    /// change their traffic. TLS 1.0 and 1.1 are not offered if ``minimumTLSVersion`` is 1.3. OpenSSL then also accepts
    /// servers without secure renegotiation (RFC 5746), as BoringSSL always does; neither renegotiates with them.
    public var allowsLegacyTLS: Bool
    /// Whether the configuration file of the system's OpenSSL decides on suites, groups, signatures and providers.
    ///
    /// Such connections use OpenSSL, whatever ``tlsLibrary`` is. The file may lower OpenSSL's security level, and exclude
    /// TLS versions; it permits TLS 1.0 and 1.1 only with ``allowsLegacyTLS``, over whose other effects it has precedence.
    public var usesOpenSSLConfiguration: Bool

    /// Makes a policy.
    ///
    /// The defaults are those of ``TrustPolicy``, TLS 1.2 or later,
    /// `http` URLs allowed, every authentication method, and BoringSSL without leniencies.
    public init(
        trust: TrustPolicy = TrustPolicy(), minimumTLSVersion: TLSVersion = .tls12, allowsPlainHTTP: Bool = true,
        methods: AllowedMethods = .all, tlsLibrary: TLSLibrary = .boringSSL, allowsLegacyTLS: Bool = false,
        usesOpenSSLConfiguration: Bool = false
    ) {
        self.trust = trust
        self.minimumTLSVersion = minimumTLSVersion
        self.allowsPlainHTTP = allowsPlainHTTP
        self.methods = methods
        self.tlsLibrary = tlsLibrary
        self.allowsLegacyTLS = allowsLegacyTLS
        self.usesOpenSSLConfiguration = usesOpenSSLConfiguration
    }
}

extension ServerPolicy {
    /// Returns a policy with pins, and with the defaults of
    /// ``init(trust:minimumTLSVersion:allowsPlainHTTP:methods:tlsLibrary:allowsLegacyTLS:usesOpenSSLConfiguration:)``.
    ///
    /// - Parameters:
    ///   - pins: The pins that the path must satisfy, in addition to all other checks.
    ///   - anchors: The anchors; by default those of the operating system.
    /// - Returns: The policy.
    public static func pinned(_ pins: PinSet, anchors: TrustPolicy.Anchors = .system) -> Self {
        Self(trust: TrustPolicy(anchors: anchors, pins: pins))
    }
}

extension ServerPolicy {
    /// A TLS version that is not deprecated (RFC 8996).
    @nonexhaustive
    public enum TLSVersion: String, Hashable, Sendable, Codable, CaseIterable {
        /// TLS 1.2 (RFC 5246).
        case tls12 = "1.2"
        /// TLS 1.3 (RFC 8446).
        case tls13 = "1.3"
    }
}

extension ServerPolicy {
    /// A choice of the TLS library.
    @nonexhaustive
    public enum TLSLibrary: String, Hashable, Sendable, Codable, CaseIterable {
        /// BoringSSL, and OpenSSL for a server whose handshake may need it.
        ///
        /// If a server ends a handshake with BoringSSL because it found nothing acceptable, another connection uses
        /// OpenSSL, with the same TLS versions and trust, and so do all later ones. An attacker on the network can cause
        /// that, and prevent X25519MLKEM768. Without OpenSSL, this is the same as ``boringSSL``.
        case automatic
        /// The BoringSSL of swift-nio-ssl, which is part of every build.
        case boringSSL = "boringssl"
        /// The system's OpenSSL 3.0.2 or later, which a build with the trait `OpenSSL` contains.
        ///
        /// It supports post-handshake authentication in TLS 1.3, DHE, and more groups; it has no X25519MLKEM768, and cannot
        /// use private keys in tokens.
        case openSSL = "openssl"
    }
}

extension ServerPolicy.TLSVersion: Comparable {
    /// Returns whether one version is older than the other.
    public static func < (one: Self, other: Self) -> Bool { one == .tls12 && other == .tls13 }
}

/// The authentication methods with which the client may answer a server's challenges.
///
/// The methods are those of HTTP (RFC 9110 section 11.1) and SOCKS (RFC 1928 section 3). The function `only(_:)` of
/// module `Challenges` makes a value with selected methods.
public struct AllowedMethods: Hashable, Sendable, CustomStringConvertible {
    /// The names in lowercase; `nil` for every method.
    package let names: Set<String>?

    /// - Parameter names: The names in lowercase.
    package init(names: Set<String>) {
        self.names = names
    }

    private init() {
        names = nil
    }

    /// Every method.
    public static let all = Self()

    /// The names of the methods in alphabetical order, such as `basic, ntlm`; `all` for every method.
    public var description: String { names.map { $0.sorted().joined(separator: ", ") } ?? "all" }

    /// Returns the methods that both values allow.
    package func intersection(_ other: Self) -> Self {
        guard let names else { return other }
        return other.names.map { Self(names: names.intersection($0)) } ?? self
    }

    /// Returns whether another value allows every method of this one.
    package func isSubset(of other: Self) -> Bool {
        guard let others = other.names else { return true }
        return names?.isSubset(of: others) ?? false
    }
}
