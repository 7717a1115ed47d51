// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL

/// The conversion of NIO, NIOSSL and HTTP parser errors into transport errors, with the facts of the connection.
package struct ChannelFailure: Sendable {
    /// The other end of the connection.
    package let peer: ConnectionPeer
    /// The facts of the connection.
    package let record: PeerRecord

    func classify(_ error: any Error, _ phase: ConnectionPhase) -> any Error {
        if record.facts.isNotTLS { return TransportError.notTLS(peer) }
        return switch error {
        case is TransportError, is CancellationError, is RequestNotProcessed, is HTTP1Required:
            error
        // The pool closed the connection, so the peer is not the cause of the channel's error.
        case _ where record.facts.isAborted:
            TransportError.poolClosed
        case let error as HTTP2StreamError:
            http2Failure(error, phase)
        case let error as HTTP2ConnectionError:
            http2Failure(error)
        case let error as ResponseSyntaxError:
            syntaxFailure(error)
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            tlsFailure(error, phase)
        case is IOError, is ChannelError:
            lostConnection(phase)
        default:
            error
        }
    }

    /// Returns the error for a request that could not be written; a channel that was already closed sent none of it.
    func notSent(_ error: any Error) -> any Error {
        let reason = classify(error, .request)
        guard case ChannelError.ioOnClosedChannel = error else { return reason }
        return RequestNotProcessed(reason: reason)
    }

    /// Returns whether an error is an orderly end of the connection by the peer, rather than a reset.
    func isEnd(_ error: any Error) -> Bool {
        if case ChannelError.eof = error { true } else { Self.isUncleanShutdown(error) }
    }

    /// Returns the error for a connection that the peer ended before it received any byte of the request.
    func notReceived(_ error: any Error) -> RequestNotProcessed {
        RequestNotProcessed(reason: classify(error, .response))
    }

    /// The error for a connection that takes no further request.
    ///
    /// If the server has already violated the protocol, that violation is the reason.
    var closedBeforeRequest: any Error {
        guard record.hasFailed, !requiresHTTP1 else { return notProcessed(.request) }
        return RequestNotProcessed(reason: classify(ChannelError.eof, .request))
    }

    /// Whether the server ended the connection because it requires HTTP/1.1.
    var requiresHTTP1: Bool { record.facts.goAway?.requiresHTTP1 == true }

    /// Returns the error for a request that the server did not process before its GOAWAY (RFC 9113 section 6.8).
    private func notProcessed(_ phase: ConnectionPhase) -> any Error {
        guard let goAway = record.facts.goAway, goAway.statesReason else {
            return RequestNotProcessed(reason: TransportError.connectionLost(peer, phase))
        }
        let reason = TransportError.goAway(peer, phase, goAway)
        return goAway.requiresHTTP1 ? HTTP1Required(reason: reason) : RequestNotProcessed(reason: reason)
    }

    private func streamReset(_ reason: StreamReset) -> any Error {
        let error = TransportError.streamReset(peer.endpoint, reason)
        return switch reason {
        // RFC 9113 section 8.7: the server has not processed the request.
        case .refused: RequestNotProcessed(reason: error)
        case .http1Required: HTTP1Required(reason: error)
        default: error
        }
    }

    private func http2Failure(_ error: HTTP2StreamError, _ phase: ConnectionPhase) -> any Error {
        switch error {
        case .reset(let reason): streamReset(reason)
        case .notProcessed: notProcessed(phase)
        case .malformed: TransportError.malformedResponse(peer, .http2)
        case .malformedStatus: TransportError.malformedResponse(peer, .statusLine)
        }
    }

    private func http2Failure(_ error: HTTP2ConnectionError) -> TransportError {
        switch error {
        case .violation: .malformedResponse(peer, .http2)
        case .headTooLarge: .headTooLarge(peer, limit: HeadLimit.size)
        case .notHTTP2: wrongPreface(record.facts)
        }
    }

    /// Returns the error for a wrong HTTP/2 preface: after ALPN, it is a protocol violation; without TLS, the server
    /// may not support HTTP/2.
    private func wrongPreface(_ facts: PeerRecord.Facts) -> TransportError {
        facts.offeredVersions == nil ? .httpVersionNotOffered(peer, .onlyHTTP2) : .malformedResponse(peer, .http2)
    }

    private func syntaxFailure(_ error: ResponseSyntaxError) -> TransportError {
        switch error {
        case .malformed(let what): .malformedResponse(peer, what)
        case .headTooLarge: .headTooLarge(peer, limit: HeadLimit.size)
        case .tooManyFields: .tooManyFields(peer, limit: HeadLimit.fieldCount)
        case .unsolicited: .malformedResponse(peer, .framing)
        }
    }

    /// Returns the error for a lost connection: a TLS 1.3 server reports a missing certificate only after the
    /// handshake, and some servers close the connection before the client reads the alert.
    private func lostConnection(_ phase: ConnectionPhase) -> any Error {
        let facts = record.facts
        if let late = facts.lateFailure as? HTTP2ConnectionError { return http2Failure(late) }
        if let goAway = facts.goAway, goAway.statesReason { return TransportError.goAway(peer, phase, goAway) }
        guard !facts.hasServed else { return TransportError.connectionLost(peer, phase) }
        switch facts.lateFailure {
        case let late as ResponseSyntaxError: return syntaxFailure(late)
        case let late? where !(late is IOError || late is ChannelError || Self.isUncleanShutdown(late)):
            return tlsFailure(late, phase)
        default: break
        }
        guard let request = facts.identityRequest else { return TransportError.connectionLost(peer, phase) }
        return certificateFailure(facts, request)
    }

    private func certificateFailure(
        _ facts: PeerRecord.Facts, _ request: IdentityRequest, alert: String? = nil
    ) -> TransportError {
        facts.hasIdentity
            ? .clientCertificateRefused(peer, request, alert: alert) : .clientCertificateRequired(peer, request)
    }

    private static func isUncleanShutdown(_ error: any Error) -> Bool {
        if case NIOSSLError.uncleanShutdown = error { true } else { false }
    }

    /// Returns the error for a TLS failure by the name of BoringSSL's reason, since NIOSSL publishes no code.
    private func tlsFailure(_ error: any Error, _ phase: ConnectionPhase) -> any Error {
        if Self.isUncleanShutdown(error) { return lostConnection(phase) }
        let (reason, facts) = (TLSFailureReason(error), record.facts)
        switch reason.kind {
        case .notTLS: return TransportError.notTLS(peer)
        case .renegotiation: return TransportError.renegotiationRequired(peer)
        case .certificateRequired:
            return TransportError.clientCertificateRequired(peer, facts.identityRequest ?? .withUnknownIssuers)
        case .alert:
            guard let request = facts.identityRequest, !facts.hasServed else { break }
            return certificateFailure(facts, request, alert: reason.name)
        case .connectionLost: return lostConnection(phase)
        case .noApplicationProtocol:
            if let versions = facts.offeredVersions { return TransportError.httpVersionNotOffered(peer, versions) }
        case .other: break
        }
        return TransportError.handshakeFailed(peer, reason.name)
    }
}

/// The error for a request that the server did not process, so that any method may be retried (RFC 9110 section 9.2.2).
package struct RequestNotProcessed: Error {
    /// The error to report if the request is not retried.
    package let reason: any Error

    package init(reason: any Error) {
        self.reason = (reason as? Self)?.reason ?? reason
    }
}

/// The error for a request for which the server requires HTTP/1.1 (RFC 9113 section 7, HTTP_1_1_REQUIRED).
package struct HTTP1Required: Error {
    /// The error to report if the request is not retried; `nil` if the session requires HTTP/1.1.
    package let reason: TransportError?

    package init(reason: TransportError? = nil) { self.reason = reason }
}

/// The reason for a TLS failure, taken from the name in the error's text: NIOSSL publishes no code (2.37).
struct TLSFailureReason {
    enum Kind {
        case notTLS
        case renegotiation
        case certificateRequired
        /// The peer ended the handshake with an alert that can concern the client certificate.
        case alert
        case connectionLost
        /// The peer and the session have no common HTTP version (RFC 7301 section 3.2).
        case noApplicationProtocol
        case other
    }

    /// The name of the reason, such as `WRONG_VERSION_NUMBER`, or `ALERT_123` for an alert without a name; never empty.
    let name: String
    let kind: Kind

    init(_ error: any Error) {
        let text = String(describing: error)
        let marker = "OPENSSL_internal:"
        if let start = text.firstRange(of: marker)?.upperBound {
            let known = text[start...].prefix { $0.isUppercase || $0.isNumber || $0 == "_" }
            name = known.isEmpty ? Self.unnamed(text[start...]) : String(known)
        } else {
            // NIOSSL throws an empty error stack if BoringSSL gave no reason.
            name = text.isEmpty || text.contains("sslError([])") ? "UNKNOWN" : text
        }
        kind = Self.kind(of: name)
    }

    /// Names a reason that BoringSSL writes as `reason(N)`;
    /// alerts are the numbers from 1000 on (`SSL_AD_REASON_OFFSET`).
    private static func unnamed(_ text: Substring) -> String {
        let digits = text.drop { $0 != "(" }.dropFirst().prefix(while: \.isNumber)
        guard let number = Int(digits) else { return "UNKNOWN" }
        return number >= 1_000 ? "ALERT_\(number - 1_000)" : "REASON_\(number)"
    }

    private static func kind(of name: String) -> Kind {
        switch name {
        case "WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST", "INVALID_RECORD", "UNEXPECTED_RECORD":
            .notTLS
        case "NO_RENEGOTIATION", "RENEGOTIATION_MISMATCH", "RENEGOTIATION_EMR_MISMATCH":
            .renegotiation
        case "TLSV1_ALERT_CERTIFICATE_REQUIRED", "TLSV1_CERTIFICATE_REQUIRED":
            .certificateRequired
        case "TLSV1_ALERT_NO_APPLICATION_PROTOCOL", "INVALID_ALPN_PROTOCOL":
            .noApplicationProtocol
        case _ where name.contains("ALERT"):
            .alert
        case _ where name.contains("zeroReturn") || name.contains("syscallError") || name.contains("EOF during"):
            .connectionLost
        default:
            .other
        }
    }
}
