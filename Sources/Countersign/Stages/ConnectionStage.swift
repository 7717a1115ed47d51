// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import HTTPTransport
import HTTPTypes
import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sends a request over a connection: one that is held, one of the pool, or a new one.
///
/// Where a server has not processed the request, because its connection was lost or it said so, the stage sends it again.
struct ConnectionStage: Sendable {
    func send(_ request: PipelineRequest) async throws -> PipelineResponse {
        guard let transaction = request.transaction else { throw SessionError.sessionClosed }
        while true {
            guard !transaction.core.pool.isClosed else { throw SessionError.sessionClosed }
            if let response = try await transaction.sendUnlessRenegotiated(request.request.headerFields) {
                return PipelineResponse(response: response)
            }
        }
    }
}

extension Transaction {
    /// Sends the request; where the server interrupts it to ask for a certificate, finds one for the next try.
    ///
    /// - Returns: `nil` where the request is to be sent again.
    fileprivate func sendUnlessRenegotiated(_ fields: HTTPFields) async throws -> Response? {
        do {
            let response = try await send(fields)
            guard response.status == .forbidden else { return response }
            return try await PostHandshakeRefusal(endpoint: url.endpoint).check(response)
        } catch SessionError.renegotiationRequired(let peer) where identityInAdvance == nil && peer.role == .origin {
            guard let trust = route.connection.originTLS?.trust else { throw SessionError.renegotiationRequired(peer) }
            let decisions = HandshakeDecisions(core: core, peer: peer, policy: trust)
            // The request was encrypted under keys that are not for us to know.
            let request = CertificateRequest.whoseIssuersAreUnknown
            identityInAdvance = try await decisions.chooseIdentity(for: request)
            guard identityInAdvance != nil else { throw SessionError.clientCertificateRequired(peer, request) }
            beginAnew()
            try self.request.checkBody(for: url)
            return nil
        } catch SessionError.clientCertificateRefused(let peer, let request) {
            let space = ProtectionSpace.clientCertificate(at: peer)
            if let refused = core.memory.identity(in: space) { core.memory.forget(refused, in: space) }
            throw SessionError.clientCertificateRefused(peer, request)
        }
    }

    /// Sends the request once; where no server has processed it, sends it again within ``RequestContext/takeRepeat()``.
    private func send(_ fields: HTTPFields) async throws -> Response {
        if lease != nil, let response = try await sendOverHeldConnection(fields) { return response }
        if hasSpokenHTTP2, originAuthentication.machine.needsOwnConnection, route.connection.maySpeakHTTP2 {
            try fallBackToHTTP1()
        }
        while true {
            var isPooled = false
            do {
                let response = try await sendOverAnyConnection(fields, &isPooled)
                // The answer to a challenge goes over the connection that has just served this request.
                needsNewConnection = false
                return response
            } catch let error as RequestNotProcessed {
                guard Self.isLoss(error.reason), request.body?.isAvailable ?? true, context.takeRepeat() else {
                    throw error.reason
                }
            } catch SessionError.connectionLost(let peer, let phase) where isPooled && isRepeatable {
                // The server closed it while it was idle (RFC 9112 section 9.3.1).
                guard context.takeRepeat() else { throw SessionError.connectionLost(peer, phase) }
                needsNewConnection = true
            } catch is HTTP1Required {
                guard core.configuration.httpVersions == .all, route.connection.maySpeakHTTP2,
                    request.body?.isAvailable ?? true, context.takeRepeat()
                else {
                    throw SessionError.streamReset(url.endpoint, .http1Required)
                }
                try fallBackToHTTP1()
            }
            beginAnew()
        }
    }

    private static func isLoss(_ error: any Error) -> Bool {
        switch error {
        case SessionError.connectionLost, SessionError.streamReset: true
        default: false
        }
    }

    private func sendOverAnyConnection(_ fields: HTTPFields, _ isPooled: inout Bool) async throws -> Response {
        // Before a connection is taken: it would be lost with the request.
        try Task.checkCancellation()
        let lease = try await SessionError.translating {
            try await core.pool.lease(
                route.connection, identityInAdvance: identityInAdvance?.identity,
                delegate: ConnectionDecisions(for: self))
        }
        isPooled = lease.isReused
        core.metrics?.note(lease)
        return try await send(fields, over: lease)
    }

    /// - Throws: ``SessionError/authenticationInterrupted(_:)`` where the next message belongs to a connection that is gone.
    private func sendOverHeldConnection(_ fields: HTTPFields) async throws -> Response? {
        guard let held = lease else { return nil }
        lease = nil
        let interruption = isConnection(.exchanging) ? interruption : nil
        guard held.isReady else {
            held.retire()
            // Cancelling the task closes the connection, which must not be taken for a loss.
            try Task.checkCancellation()
            if let interruption { throw interruption }
            return nil
        }
        do {
            return try await send(fields, over: held)
        } catch let error as RequestNotProcessed {
            if let interruption { throw interruption }
            guard request.body?.isAvailable ?? true, context.takeRepeat() else { throw error.reason }
            beginAnew()
            return nil
        } catch SessionError.connectionLost(let peer, let phase) where interruption != nil || isRepeatable {
            if let interruption { throw interruption }
            guard context.takeRepeat() else { throw SessionError.connectionLost(peer, phase) }
            beginAnew()
            return nil
        }
    }

    /// The connection is gone, and what was begun on it goes on with another.
    private func beginAnew() {
        lease = nil
        originAuthentication.restart()
        proxyAuthentication?.restart()
    }

    private var isRepeatable: Bool { request.method.isIdempotent && request.body?.isAvailable ?? true }

    var interruption: SessionError? {
        (originAuthentication.machine.binding ?? proxyAuthentication?.machine.binding)
            .map { .authenticationInterrupted($0.space) }
    }
}
