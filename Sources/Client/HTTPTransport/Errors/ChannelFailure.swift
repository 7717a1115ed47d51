// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import TLSTransport

/// The conversion of NIO, TLS and HTTP parser errors into transport errors, with the facts of the connection.
package struct ChannelFailure: Sendable {
    /// The other end of the connection.
    package let peer: ConnectionPeer
    /// The facts of the connection.
    package let record: PeerRecord

    func classify(_ error: any Error, _ phase: ConnectionPhase) -> any Error {
        switch error {
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
        case let error as TLSFailure:
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
        switch error {
        case ChannelError.eof, TLSFailure.closed, TLSFailure.truncated: true
        default: false
        }
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
        case .unsolicited: .malformedResponse(peer, .unrequested)
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
        case let late as TLSFailure where !isEnd(late): return tlsFailure(late, phase)
        default: break
        }
        guard let request = facts.identityRequest else { return TransportError.connectionLost(peer, phase) }
        return certificateFailure(facts, request)
    }

    private func certificateFailure(
        _ facts: PeerRecord.Facts, _ request: TLSIdentityRequest, alert: TLSAlert? = nil
    ) -> TransportError {
        facts.hasIdentity
            ? .clientCertificateRefused(peer, request, alert: alert) : .clientCertificateRequired(peer, request)
    }

    private func tlsFailure(_ failure: TLSFailure, _ phase: ConnectionPhase) -> any Error {
        let facts = record.facts
        let alternative = facts.isHandshakeComplete ? nil : facts.tlsSettings.flatMap { failure.alternative(to: $0) }
        switch failure {
        case .notTLS: return TransportError.notTLS(peer)
        case .closed, .truncated: return lostConnection(phase)
        case .renegotiationRefused: return TransportError.renegotiationRequired(peer)
        case .received(.certificateRequired):
            return TransportError.clientCertificateRequired(peer, facts.identityRequest)
        case .received(.noApplicationProtocol), .violation(reason: "INVALID_ALPN_PROTOCOL", _):
            return TransportError.httpVersionNotOffered(peer, facts.offeredVersions ?? .all)
        case .received(let alert):
            guard let request = facts.identityRequest, !facts.hasServed else {
                return TransportError.alertReceived(peer, alert, alternative: alternative)
            }
            return certificateFailure(facts, request, alert: alert)
        // BoringSSL's and OpenSSL's names for an identity with none of the server's signature algorithms.
        case .violation(reason: "NO_COMMON_SIGNATURE_ALGORITHMS", _) where facts.hasIdentity,
            .violation(reason: "NO_SUITABLE_SIGNATURE_ALGORITHM", _) where facts.hasIdentity:
            return TransportError.identityUnusable(peer, "NO_COMMON_SIGNATURE_ALGORITHMS", alternative: nil)
        case .violation(let reason, _):
            return TransportError.handshakeFailed(peer, reason, alternative: alternative)
        case .unusableIdentity(let reason):
            return TransportError.identityUnusable(peer, reason, alternative: alternative)
        case .unusableSettings(let reason): return TransportError.settingsUnusable(peer, reason)
        case .refused(let alert): return TransportError.handshakeFailed(peer, alert.description, alternative: nil)
        case .heldKey:
            return TransportError.identityUnusable(peer, "KEY_OUTSIDE_MEMORY", alternative: .boringSSL)
        case .unavailable(let library, let version):
            return TransportError.libraryUnavailable(peer, library, version: version)
        }
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

/// The error for an answer to a proxy's challenge that needs another connection, and for a TLS session that cannot be
/// resumed.
package struct ReconnectRequired: Error {
    package init() {}
}
