// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How a challenge is to be answered; an open set, to which a user adds by a static member.
///
/// The members of the schemes of HTTP stand beside their table, in `AuthenticatorRegistry.swift`.
public struct AuthenticationMethod: Hashable, Sendable, CustomStringConvertible {
    /// The scheme in lower case for HTTP's (RFC 9110 section 11.1), or a name of ours for those of TLS and SOCKS.
    public let description: String

    /// - Parameter name: Compared without regard to case.
    public init(_ name: String) {
        description = name.lowercased()
    }

    /// A server's chain, to be trusted or not.
    public static let serverTrust = Self("server-trust")
    /// A server's request for a client certificate (RFC 8446 section 4.3.2, RFC 5246 section 7.4.4).
    public static let clientCertificate = Self("client-certificate")
    /// A proxy of SOCKS 5 asks for a user and a password (RFC 1929), which it can read.
    public static let socksPassword = Self("socks-password")
}
