// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
public import ErrorExplanations
public import HTTPTransport
public import TLSTransport
import X509

/// An error in the TLS handshake or with a client certificate.
@nonexhaustive
public enum TLSError: Error, Sendable {
    /// The host's policy requires a newer TLS version than the session allows. Holds the oldest version that the policy
    /// allows.
    case versionsExcluded(SessionError.Peer, minimum: ServerPolicy.TLSVersion)
    /// The peer does not speak TLS.
    case notTLS(SessionError.Peer)
    /// The server did not start TLS in the protocol.
    case startTLSFailed(SessionError.Peer, StartTLS, StartTLSProblem)
    /// The TLS library ended the connection, because it cannot use a message of the server. Holds the library's name for
    /// the reason, and the setting with which the handshake may succeed; `nil` if none is known.
    case handshakeFailed(SessionError.Peer, String, alternative: TLSAlternative?)
    /// The TLS library cannot use the identity with this server. Holds the library's name for the reason, and the
    /// setting with which it may be used; `nil` if none is known.
    case identityUnusable(SessionError.Peer, String, alternative: TLSAlternative?)
    /// The TLS library cannot use the settings, such as a malformed configuration file of OpenSSL. Holds its name for
    /// the reason.
    case settingsUnusable(SessionError.Peer, String)
    /// The server ended the connection with an alert (RFC 8446 section 6.2). Holds the setting with which the handshake
    /// may succeed; `nil` if none is known.
    case alertReceived(SessionError.Peer, TLSAlert, alternative: TLSAlternative?)
    /// The host's policy requires a TLS library that this build or this system does not have. Holds the version of the
    /// installed library if that is too old; `nil` otherwise.
    case libraryUnavailable(SessionError.Peer, TLSLibrary, version: String?)
    /// The server requires a client certificate and received none.
    case clientCertificateRequired(SessionError.Peer, ClientCertificateRequest)
    /// The server refused the client certificate. Holds the server's request, the certificate, and the server's alert;
    /// the latter two are `nil` if they are not known.
    case clientCertificateRefused(
        SessionError.Peer, ClientCertificateRequest, presented: CertificateSummary?, alert: TLSAlert?)
    /// The server requests another renegotiation (TLS 1.2, RFC 5246 section 7.4.1.1) after a first one, or one over
    /// HTTP/2, which forbids it (RFC 9113 section 9.2.1).
    case renegotiationRequired(SessionError.Peer)
    /// The server requests a client certificate after the TLS 1.3 handshake (RFC 8446 section 4.6.2), which BoringSSL
    /// does not support, and the request could not be sent again over TLS 1.2, with which the session answers it.
    case postHandshakeAuthenticationRequired(HostEndpoint)
}

extension TLSError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .versionsExcluded(let peer, let minimum):
            ErrorExplanation(
                .usage, "tls.versions-excluded",
                "The policy of \(peer.policyHolder) requires TLS \(minimum.rawValue) or later, which the settings do not allow.",
                reason: "The policy and the settings have no TLS version in common. Nothing was sent.",
                advice: "Allow TLS \(minimum.rawValue) in the settings, or lower the minimum in the policy.")
        case .notTLS(let peer):
            ErrorExplanation(
                "tls.not-tls", "\(peer.subject) does not speak TLS.",
                reason: "The first bytes from the server are not a TLS handshake; the port may be for plain http.",
                advice: peer.text(
                    "Use http: instead of https:, or another port.",
                    forProxy: "Use http: instead of https: in the proxy's URL, or another port."))
        case .startTLSFailed(let peer, let kind, let problem): problem.explanation(of: peer, kind)
        case .handshakeFailed(let peer, let reason, let alternative):
            Self.explanation(ofFailure: reason, at: peer, alternative)
        case .identityUnusable(let peer, let reason, let alternative):
            Self.explanation(ofIdentity: reason, at: peer, alternative)
        case .settingsUnusable(let peer, let reason):
            ErrorExplanation(
                .usage, "tls.settings-unusable", "The TLS settings for \(peer) cannot be used: \(reason).",
                reason:
                    "This is the TLS library's name for the reason; the mistake is probably in OpenSSL's configuration file. Nothing was sent to \(peer).",
                advice:
                    "Correct the file, which the environment variable OPENSSL_CONF may name, or do not use it for this server."
            )
        case .alertReceived(let peer, let alert, let alternative): Self.explanation(of: alert, from: peer, alternative)
        case .libraryUnavailable(let peer, let library, let version):
            ErrorExplanation(
                .usage, "tls.library-unavailable",
                "The policy of \(peer.policyHolder) requires \(library.name), which this program cannot use.",
                reason: version.map { "The installed version, \($0), is too old. The request was not sent." }
                    ?? "It was built without the package trait \(library.name), or \(library.name) is not installed. The request was not sent.",
                advice: "Use a build with the trait \(library.name) and OpenSSL 3.0.2 or later, or another TLS library."
            )
        case .clientCertificateRequired(let peer, let request):
            ErrorExplanation(
                .notAuthenticated, "tls.client-certificate-required",
                "\(peer.subject) requires a client certificate\(request.issuers.map { " issued by \($0)" } ?? "").",
                reason: "The server identifies its clients by certificates, and none was presented.",
                advice: peer.text(
                    "Present an identity: a certificate with its private key.",
                    forProxy: "Present an identity that the proxy accepts, or use a proxy that takes a password."))
        case .clientCertificateRefused(let peer, let request, let presented, let alert):
            ErrorExplanation(
                .notAuthenticated, "tls.client-certificate-refused",
                "\(peer.subject) refused the client certificate\(presented.map { " \($0.subject)" } ?? "")\(alert.map(Self.clause(of:)) ?? "").",
                reason: (presented.map { "It was issued by \($0.issuer). " } ?? "")
                    + (request.issuers.map { "The server accepts certificates issued by \($0)." }
                        ?? "The server did not say which issuers it accepts."),
                advice: "Present a certificate from an accepted issuer that has not expired and is meant for clients.")
        case .renegotiationRequired(let peer):
            ErrorExplanation(
                .notAuthenticated, "tls.renegotiation-required",
                "\(peer.subject) repeatedly requests a client certificate by renegotiation.",
                reason:
                    "The server uses TLS 1.2 renegotiation to request a certificate for a single path; a second one on a connection, or one over HTTP/2, is not allowed.",
                advice: "Ask the server's operator to require the certificate for the whole host.")
        case .postHandshakeAuthenticationRequired(let endpoint):
            ErrorExplanation(
                .notAuthenticated, "tls.post-handshake-authentication-required",
                "\(endpoint) requires a client certificate after the handshake of TLS 1.3, which BoringSSL does not support.",
                reason:
                    "The server requests the certificate for a single path only (RFC 8446 section 4.6.2), and the request could not be sent again over TLS 1.2.",
                advice:
                    "Allow TLS 1.2, with which the server can request it, in the settings and the policy; use OpenSSL, in a build with the trait OpenSSL; or ask the server's operator to require the certificate for the whole host."
            )
        }
    }

    /// Returns the reason for which the server refused a certificate, according to its alert (RFC 8446 section 6.2).
    private static func clause(of alert: TLSAlert) -> String {
        switch alert {
        case .certificateExpired: ": it has expired"
        case .certificateRevoked: ": it was revoked"
        case .unknownCA: ": the server does not know its issuer"
        case .unsupportedCertificate: ": the server does not support its type"
        default: " (\(alert))"
        }
    }

    package static var examples: [TLSError] {
        let request = ClientCertificateRequest(
            acceptableIssuers: (try? DistinguishedName { CommonName("Example Client CA") }).map { [$0] })
        return [
            .versionsExcluded(.example, minimum: .tls13), .notTLS(.example),
            .startTLSFailed(.example, .smtp, .refused("502 5.5.1 Command not implemented")),
            .startTLSFailed(.example, .imap, .unexpected("SSH-2.0-OpenSSH_9.2")),
            .startTLSFailed(.example, .imap, .tooLong(limit: StartTLSExchange.limit)),
            .startTLSFailed(.example, .imap, .excess),
            .alertReceived(.example, .protocolVersion, alternative: .legacyTLS),
            .alertReceived(.example, .handshakeFailure, alternative: .openSSL),
            .alertReceived(.example, TLSAlert(rawValue: 123), alternative: nil),
            .handshakeFailed(.example, "UNKNOWN", alternative: nil),
            .handshakeFailed(.example, "BAD_DECRYPT", alternative: nil),
            .handshakeFailed(.example, "UNSAFE_LEGACY_RENEGOTIATION_DISABLED", alternative: .boringSSL),
            .identityUnusable(.example, "KEY_OUTSIDE_MEMORY", alternative: .boringSSL),
            .identityUnusable(.example, "UNKNOWN_CERTIFICATE_TYPE", alternative: .openSSL),
            .settingsUnusable(.example, "UNKNOWN_PROTOCOL"),
            .handshakeFailed(.example, "DH_KEY_TOO_SMALL", alternative: .legacyTLS),
            .alertReceived(.example, .unrecognizedName, alternative: nil),
            .libraryUnavailable(.example, .openSSL, version: nil),
            .clientCertificateRequired(.example, request),
            .clientCertificateRefused(.example, request, presented: nil, alert: .unknownCA),
            .renegotiationRequired(.example), .postHandshakeAuthenticationRequired(.example),
        ]
    }
}

/// Failures of handshakes, as the server or the library states them.
extension TLSError {
    private static let lookUp = "Look up this connection in the server's log, or ask its operator."

    private static func explanation(
        of alert: TLSAlert, from peer: ConnectionPeer, _ alternative: TLSAlternative?
    ) -> ErrorExplanation {
        switch alert {
        case .protocolVersion: noCommonVersion(peer, "\(alert)", alternative)
        case .handshakeFailure, .insufficientSecurity: noCommonParameters(peer, "\(alert)", alternative)
        case _ where alert.name == nil:
            ErrorExplanation(
                "tls.unnamed-alert", "\(peer.subject) ended the TLS connection with alert \(alert.rawValue).",
                reason: "No standard defines this alert.", advice: lookUp)
        default:
            ErrorExplanation(
                "tls.handshake-failed", "\(peer.subject) ended the TLS connection with the alert \(alert).",
                reason: meaning(of: alert), advice: lookUp)
        }
    }

    /// Returns the meaning of an alert (RFC 8446 section 6.2).
    private static func meaning(of alert: TLSAlert) -> String {
        switch alert {
        case .unrecognizedName: "The server does not serve the host of the URL."
        case .accessDenied: "The server does not serve this client."
        case .internalError: "The server has a problem that does not concern the client."
        case .userCanceled: "The server ended the handshake for a reason that is not a failure of the protocol."
        case .badCertificate, .unsupportedCertificate, .certificateRevoked, .certificateExpired, .certificateUnknown,
            .unknownCA:
            "The alert concerns a client certificate."
        case .closeNotify, .noRenegotiation: "The alert does not fit the state of the connection."
        default: "The server could not process a message of the client, or the message was changed on the way."
        }
    }

    private static func explanation(
        ofFailure reason: String, at peer: ConnectionPeer, _ alternative: TLSAlternative?
    ) -> ErrorExplanation {
        switch reason {
        case "", "UNKNOWN":
            ErrorExplanation(
                "tls.no-reason", "The TLS handshake with \(peer) failed, and neither side gave a reason.",
                reason: "The server ended the handshake without an alert.", advice: lookUp)
        case "UNSUPPORTED_PROTOCOL", "WRONG_SSL_VERSION": noCommonVersion(peer, reason, alternative)
        case "NO_SHARED_CIPHER", "NO_CIPHERS_AVAILABLE": noCommonParameters(peer, reason, alternative)
        case _ where alternative == .boringSSL:
            ErrorExplanation(
                "tls.no-secure-renegotiation", "The TLS handshake with \(peer) failed: \(reason).",
                reason: "OpenSSL accepts only servers with secure renegotiation (RFC 5746).",
                advice: "Use BoringSSL for this server, which accepts it as long as it does not renegotiate.")
        case _ where alternative == .legacyTLS:
            ErrorExplanation(
                "tls.weak-server", "The TLS handshake with \(peer) failed: \(reason).",
                reason:
                    "The server uses TLS in a way that is not safe any more; this is the TLS library's name for it.",
                advice: "Update the server. \(legacyAdvice)")
        default:
            ErrorExplanation(
                "tls.handshake-failed", "The TLS handshake with \(peer) failed: \(reason).",
                reason: "This is the TLS library's name for the reason.", advice: lookUp)
        }
    }

    private static func explanation(
        ofIdentity reason: String, at peer: ConnectionPeer, _ alternative: TLSAlternative?
    ) -> ErrorExplanation {
        guard alternative != .boringSSL else {
            return ErrorExplanation(
                .usage, "tls.library-unsuitable",
                "The TLS handshake with \(peer) failed: the private key of the client certificate is not in memory.",
                reason: "OpenSSL cannot use a key that signs elsewhere, such as in a token or the Secure Enclave.",
                advice: "Use BoringSSL for this server, or another identity.")
        }
        let openSSL = "use OpenSSL for this server, in a build with the trait OpenSSL"
        return ErrorExplanation(
            .notAuthenticated, "tls.identity-unusable",
            "The client certificate cannot be used in the TLS handshake with \(peer): \(reason).",
            reason:
                "Its key has an unsupported type, or signs with none of the algorithms that the server accepts. An RSA key in a token can sign in TLS 1.2 only.",
            advice: "Present another identity\(alternative == .openSSL ? ", or \(openSSL)" : ""). "
                + "With an RSA key in a token, exclude TLS 1.3.")
    }

    private static let legacyAdvice =
        "If that is impossible, the policy can accept old versions and weak algorithms, in a build with the trait OpenSSL."

    private static func noCommonVersion(
        _ peer: ConnectionPeer, _ name: String, _ alternative: TLSAlternative?
    ) -> ErrorExplanation {
        ErrorExplanation(
            "tls.no-common-version", "\(peer.subject) supports none of the TLS versions that were offered (\(name)).",
            reason:
                "TLS 1.2 and 1.3 are offered by default; the traffic of older versions is not safe from attackers.",
            advice: "Allow TLS 1.2 and 1.3 if the settings exclude one of them, or update the server."
                + (alternative == .legacyTLS ? " \(legacyAdvice)" : ""))
    }

    private static func noCommonParameters(
        _ peer: ConnectionPeer, _ name: String, _ alternative: TLSAlternative?
    ) -> ErrorExplanation {
        let other =
            switch alternative {
            case .openSSL:
                "If its ciphers or its groups are unusual, use OpenSSL for this server, in a build with the trait OpenSSL. "
            case .legacyTLS: "If it is old, update it. \(legacyAdvice) "
            case .boringSSL, nil: ""
            }
        return ErrorExplanation(
            "tls.no-common-parameters", "\(peer.subject) found nothing acceptable in the TLS handshake (\(name)).",
            reason:
                "The server may support only other ciphers or groups, or require something else, such as a client certificate.",
            advice: other + lookUp)
    }
}

extension StartTLSProblem {
    /// The maximum number of characters of a reply that are shown.
    private static let shownLength = 200

    fileprivate func explanation(of peer: ConnectionPeer, _ kind: StartTLS) -> ErrorExplanation {
        switch self {
        case .refused(let reply):
            ErrorExplanation(
                "tls.start-tls-refused",
                "\(peer.subject) does not start TLS in the protocol \(kind.rawValue): \"\(Self.shown(reply))\".",
                reason: "The server has no TLS on this port, or only for some clients.",
                advice: "Use the port on which TLS begins at once, or ask the server's operator.")
        case .unexpected(let reply):
            ErrorExplanation(
                "tls.start-tls-unexpected",
                "\(peer.subject) does not speak the protocol \(kind.rawValue): \"\(Self.shown(reply))\".",
                reason: "The reply is not one of this protocol.", advice: "Check the port and the protocol.")
        case .tooLong(let limit):
            ErrorExplanation(
                "tls.start-tls-too-long", "\(peer.subject) sent more than \(limit) bytes before the TLS handshake.",
                reason: "Replies before the handshake are short.", advice: "Check the port and the protocol.")
        case .excess:
            ErrorExplanation(
                "tls.start-tls-excess", "\(peer.subject) sent more than its reply before the TLS handshake.",
                reason: "An attacker on the network path could have inserted the bytes.",
                advice: "Try again from another network, or ask the server's operator.")
        }
    }

    private static func shown(_ reply: String) -> String { String(reply.prefix(shownLength)).printable }
}

extension ClientCertificateRequest {
    /// The maximum number of issuers shown; some servers name every public certificate authority.
    private static let shownIssuers = 5

    /// Returns the reason of a refusal by a server or a proxy that asked for a certificate and received none.
    func reason(for role: String) -> String {
        let issuers = issuers.map { " issued by \($0)" } ?? ""
        return "The \(role) asked for a client certificate\(issuers) in the TLS handshake, and none was presented."
    }

    /// The first few issuers in the form "A, or B"; `nil` if the server named none or they are not known.
    package var issuers: String? {
        guard let names = acceptableIssuers?.map(\.text), !names.isEmpty else { return nil }
        let rest = names.count - Self.shownIssuers
        let others = rest > 0 ? ["one of \(rest) more"] : []
        return (names.prefix(Self.shownIssuers) + others).joined(separator: ", or ")
    }
}

extension String {
    /// The advice for a client certificate that is requested and may be required.
    static let presentIdentity = "If the request needs it, present an identity: a certificate with its private key."
}
