// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust

/// An authentication method; an open set, to which a program can add static members.
///
/// The members for HTTP schemes are defined next to their table, in `AuthenticatorRegistry.swift`.
public struct AuthenticationMethod: Hashable, Sendable, CustomStringConvertible {
    /// The name in lower case: for HTTP the scheme (RFC 9110 section 11.1),
    /// for TLS and SOCKS a name that this library chooses.
    public let description: String

    /// Makes a method from its name.
    ///
    /// - Parameter name: The name, such as the HTTP scheme; case is ignored.
    public init(_ name: String) {
        description = name.lowercased()
    }

    /// The decision whether to accept a certificate chain that the policy does not trust.
    public static let serverTrust = Self("server-trust")
    /// A server's request for a client certificate (RFC 8446 section 4.3.2, RFC 5246 section 7.4.4).
    public static let clientCertificate = Self("client-certificate")
    /// A user and a password for a SOCKS 5 proxy (RFC 1929), which are sent without encryption.
    public static let socksPassword = Self("socks-password")
}

/// The names of the built-in schemes.
extension AuthenticationMethod {
    /// Negotiate: Kerberos through SPNEGO (RFC 4559, RFC 4178).
    public static let negotiate = Self("negotiate")
    /// SCRAM with SHA-256 (RFC 7804).
    public static let scramSHA256 = Self("scram-sha-256")
    /// Digest (RFC 7616).
    public static let digest = Self("digest")
    /// NTLM, version 2 only (MS-NLMP, MS-NTHT).
    public static let ntlm = Self("ntlm")
    /// Bearer (RFC 6750).
    public static let bearer = Self("bearer")
    /// Basic (RFC 7617).
    public static let basic = Self("basic")

    /// The built-in schemes, the strongest first.
    static let builtIn = [negotiate, scramSHA256, digest, ntlm, bearer, basic]
}

extension AllowedMethods {
    /// Allows only these methods; without arguments, none.
    public static func only(_ methods: AuthenticationMethod...) -> Self { only(Set(methods)) }

    /// Allows only these methods; an empty set allows none.
    public static func only(_ methods: Set<AuthenticationMethod>) -> Self {
        Self(names: Set(methods.map(\.description)))
    }

    /// Returns whether a challenge of a method may be answered.
    public func contains(_ method: AuthenticationMethod) -> Bool { names?.contains(method.description) ?? true }
}
