// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges

/// The chain that a server presented, and the verdict of the trust policy on it.
public struct ServerTrust: Sendable {
    /// The server or proxy that presented the chain.
    public let endpoint: Endpoint
    /// The chain as the server presented it, leaf first.
    public let chain: PresentedChain
    /// The verdict of the policy on the chain.
    public let verdict: Verdict
    /// The version of TLS, `TLSv1.2` or `TLSv1.3`; `nil` where the server ended the handshake before it was complete.
    public let tlsVersion: String?
    /// The IANA name of the cipher suite; `nil` where it did not become known.
    public let cipherSuite: String?
    /// The server's request for a client certificate, which was not answered; `nil` where the server did not ask.
    public let certificateRequest: CertificateRequest?
}
