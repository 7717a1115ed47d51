// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How a challenge is to be answered; an open set, to which a user adds by a static member.
public struct AuthenticationMethod: Hashable, Sendable, CustomStringConvertible {
    /// The scheme in lower case for HTTP's (RFC 9110 section 11.1), or a name of ours for those of TLS and SOCKS.
    public let description: String

    /// - Parameter name: Compared without regard to case.
    public init(_ name: String) {
        description = name.lowercased()
    }

    /// Basic (RFC 7617).
    public static let basic = Self("basic")
    /// Bearer (RFC 6750).
    public static let bearer = Self("bearer")
    /// SCRAM with SHA-256 (RFC 7804).
    public static let scramSHA256 = Self("scram-sha-256")
    /// Digest (RFC 7616).
    public static let digest = Self("digest")
    /// NTLM, version 2 only (MS-NLMP, MS-NTHT).
    public static let ntlm = Self("ntlm")
    /// Negotiate: Kerberos by way of SPNEGO (RFC 4559, RFC 4178).
    public static let negotiate = Self("negotiate")
    /// A server's chain, to be trusted or not.
    public static let serverTrust = Self("server-trust")
    /// A server's request for a client certificate (RFC 8446 section 4.3.2, RFC 5246 section 7.4.4).
    public static let clientCertificate = Self("client-certificate")
    /// A proxy of SOCKS 5 asks for a user and a password (RFC 1929), which it can read.
    public static let socksPassword = Self("socks-password")
}
