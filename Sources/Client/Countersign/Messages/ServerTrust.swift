// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
public import HTTPTransport
public import TLSTransport

/// The chain that a server presented, and the verdict of the trust policy on it.
public struct ServerTrust: Sendable {
    /// The server or proxy that presented the chain.
    public let endpoint: HostEndpoint
    /// The chain as the server presented it, leaf first.
    public let chain: PresentedChain
    /// The verdict of the policy on the chain.
    public let verdict: Verdict
    /// The TLS version, `TLSv1.2` or `TLSv1.3`; `nil` if the handshake is not complete.
    public let tlsVersion: String?
    /// The IANA name of the cipher suite; `nil` if it is unknown.
    public let cipherSuite: String?
    /// The TLS library of the handshake.
    public let tlsLibrary: TLSLibrary
    /// The registered name of the group of the key exchange; `nil` if it is unknown or none was used.
    public let keyExchangeGroup: String?
    /// The registered name of the algorithm of the server's signature; `nil` if it is unknown.
    public let signatureScheme: String?
    /// The server's request for a client certificate, which was not answered; `nil` if none arrived.
    public let certificateRequest: ClientCertificateRequest?
}

extension ServerTrust: CustomStringConvertible {
    /// The server and the explanation of the verdict.
    public var description: String { "\(endpoint): \(verdict)" }
}

/// The program's decision about a server, after its chain was evaluated.
@nonexhaustive
public enum ServerTrustDecision: Hashable, Sendable {
    /// The verdict decides, and a handler for `AuthenticationMethod.serverTrust` about an untrusted chain.
    case performDefault
    /// The request fails with ``TrustError/notTrusted(_:_:_:)``, even if the chain satisfies the policy.
    case refuse
}
