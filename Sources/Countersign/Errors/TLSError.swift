// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
import ErrorExplanations
public import HTTPTransport

/// Why a TLS handshake failed, or a client certificate is missing.
@nonexhaustive
public enum TLSError: Error, Sendable {
    /// The host's policy requires a newer version of TLS than the session allows. Holds the oldest version that the policy allows.
    case versionsExcluded(SessionError.Peer, minimum: ServerPolicy.TLSVersion)
    /// The peer does not speak TLS.
    case notTLS(SessionError.Peer)
    /// The handshake failed for a reason of the protocol. Holds BoringSSL's name for the reason, which is never empty.
    case handshakeFailed(SessionError.Peer, String)
    /// The server insists on a client certificate and got none.
    case clientCertificateRequired(SessionError.Peer, CertificateRequest)
    /// The server got a client certificate and refused it. Holds the server's request, the certificate, and BoringSSL's name of the
    /// server's alert; the latter two are `nil` where they are not known.
    case clientCertificateRefused(
        SessionError.Peer, CertificateRequest, presented: CertificateSummary?, alert: String?)
    /// The server asks for a client certificate in mid-connection (TLS 1.2, RFC 5246 section 7.4.1.1), and again when it has one.
    case renegotiationRequired(SessionError.Peer)
    /// The server would ask for a client certificate after the handshake of TLS 1.3 (RFC 8446 section 4.6.2), which the session does not
    /// support. In TLS 1.2 it answers such a request.
    case postHandshakeAuthenticationRequired(Endpoint)
}
