// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust

/// A method by which a challenge is answered; an open set, to which a program can add static members.
///
/// The members of the schemes of HTTP stand beside their table, in `AuthenticatorRegistry.swift`.
public struct AuthenticationMethod: Hashable, Sendable, CustomStringConvertible {
    /// The name in lower case: for HTTP the scheme (RFC 9110 section 11.1), for TLS and SOCKS a name that this library chooses.
    public let description: String

    /// Makes a method from its name.
    ///
    /// - Parameter name: The name, such as the scheme of HTTP; upper and lower case are the same.
    public init(_ name: String) {
        description = name.lowercased()
    }

    /// The decision whether to trust a server's certificate chain.
    public static let serverTrust = Self("server-trust")
    /// A server's request for a client certificate (RFC 8446 section 4.3.2, RFC 5246 section 7.4.4).
    public static let clientCertificate = Self("client-certificate")
    /// A user and a password for a proxy of SOCKS 5 (RFC 1929), which are sent without encryption.
    public static let socksPassword = Self("socks-password")
}

extension AllowedMethods {
    /// Allows these methods and no others; without arguments, none.
    public static func only(_ methods: AuthenticationMethod...) -> Self { only(Set(methods)) }

    /// Allows these methods and no others; an empty set allows none.
    public static func only(_ methods: Set<AuthenticationMethod>) -> Self {
        Self(names: Set(methods.map(\.description)))
    }

    /// Returns whether a challenge of a method may be answered.
    public func contains(_ method: AuthenticationMethod) -> Bool { names?.contains(method.description) ?? true }
}
