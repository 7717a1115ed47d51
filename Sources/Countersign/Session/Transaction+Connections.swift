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

/// Over which connection: one that is held, one of the pool, or a new one.
extension Transaction {
    /// Sends the request; where the server interrupts it to ask for a certificate, finds one for the next try.
    ///
    /// - Returns: `nil` where the request is to be sent again.
    func sendUnlessRenegotiated() async throws -> Response? {
        do {
            let response = try await send()
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
            let (space, refused) = identity(knownTo: peer.endpoint, role: .init(peer.role))
            if let refused { core.memory.forget(refused, in: space) }
            throw SessionError.clientCertificateRefused(peer, request)
        }
    }

    /// Sends the request once; where no server has processed it, sends it again within ``repeats``.
    private func send() async throws -> Response {
        if custody != nil, let response = try await sendOverHeldConnection() { return response }
        if hasSpokenHTTP2, originRounds.needsOwnConnection, route.connection.maySpeakHTTP2 { try fallBackToHTTP1() }
        while true {
            var isPooled = false
            do {
                let response = try await sendOverAnyConnection(&isPooled)
                // The answer to a challenge goes over the connection that has just served this request.
                needsNewConnection = false
                return response
            } catch let error as RequestNotProcessed {
                guard Self.isLoss(error.reason), request.body?.isAvailable ?? true, repeats.take() else {
                    throw error.reason
                }
            } catch SessionError.connectionLost(let peer, let phase) where isPooled && isRepeatable {
                // The server closed it while it was idle (RFC 9112 section 9.3.1).
                guard repeats.take() else { throw SessionError.connectionLost(peer, phase) }
                needsNewConnection = true
            } catch is HTTP1Required {
                guard core.configuration.httpVersions == .all, route.connection.maySpeakHTTP2,
                    request.body?.isAvailable ?? true, repeats.take()
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

    private func sendOverAnyConnection(_ isPooled: inout Bool) async throws -> Response {
        // Before a connection is taken: it would be lost with the request.
        try Task.checkCancellation()
        let offer = try await SessionError.translating {
            try await core.pool.take(for: route.connection) { fitness(of: $0) }
        }
        switch offer {
        case .connection(let connection):
            isPooled = true
            core.metrics?.noteReuse()
            return try await send(over: connection)
        case .permit:
            return try await send(over: connect())
        }
    }

    /// - Throws: ``SessionError/authenticationInterrupted(_:)`` where the next message belongs to a connection that is gone.
    private func sendOverHeldConnection() async throws -> Response? {
        guard let held = custody else { return nil }
        custody = nil
        let interruption = isConnection(.exchanging) ? interruption : nil
        guard held.isReady, held.connection.channel.isActive else {
            held.dismiss()
            // Cancelling the task closes the connection, which must not be taken for a loss.
            try Task.checkCancellation()
            if let interruption { throw interruption }
            return nil
        }
        do {
            return try await send(over: held.connection)
        } catch let error as RequestNotProcessed {
            if let interruption { throw interruption }
            guard request.body?.isAvailable ?? true, repeats.take() else { throw error.reason }
            beginAnew()
            return nil
        } catch SessionError.connectionLost(let peer, let phase) where interruption != nil || isRepeatable {
            if let interruption { throw interruption }
            guard repeats.take() else { throw SessionError.connectionLost(peer, phase) }
            beginAnew()
            return nil
        }
    }

    /// The connection is gone, and what was begun on it goes on with another.
    private func beginAnew() {
        custody = nil
        originRounds.restart()
        proxyRounds?.restart()
    }

    private var isRepeatable: Bool { request.method.isIdempotent && request.body?.isAvailable ?? true }

    var interruption: SessionError? {
        (originRounds.binding ?? proxyRounds?.binding).map { .authenticationInterrupted($0.space) }
    }

    /// Opens a connection, for which the pool gave its permit.
    private func connect() async throws -> HTTPConnection {
        do {
            let connection = try await ConnectionDecisions(
                core: core, route: route, proxyRounds: proxyRounds, identityInAdvance: identityInAdvance
            ).open()
            core.pool.add(connection, for: route.connection)
            core.metrics?.watch(connection.channel)
            return connection
        } catch {
            core.pool.withdrawPermit(for: route.connection)
            throw error
        }
    }

    /// Whether the answers that opened a connection are still those that would be given, and whose it is.
    private func fitness(of connection: HTTPConnection) -> ConnectionPool.Fitness {
        // The certificate of a renegotiation is presented by a connection that is opened for it.
        guard identityInAdvance == nil else { return .foreign }
        // Where one idle connection of HTTP/1.1 was dead, the others may be too; those of HTTP/2 are shared, and were heard of.
        guard !needsNewConnection || connection.isMultiplexed else { return .foreign }
        let known = connection.admission
        guard known != nil || route.usesTunnel else { return .usable }
        let admission = known ?? OpenedConnection.Admission()
        guard isAdmissible(admission) else { return .outdated }
        let origin = fitness(of: admission.originBinding, originRounds)
        let proxy = fitness(of: admission.proxyBinding, proxyRounds)
        return min(origin, proxy) < .usable ? min(origin, proxy) : max(origin, proxy)
    }

    /// Whose a connection is to one that it was authenticated to.
    private func fitness(
        of binding: ConnectionBinding?, _ rounds: AuthenticationRounds?
    ) -> ConnectionPool.Fitness {
        guard let binding else { return .usable }
        guard let rounds, rounds.mayUse(binding) else {
            return core.memory.credential(in: binding.space, own: binding.own) == binding.credential
                ? .foreign : .outdated
        }
        // A request that brings its own field must not use another user's connection.
        if binding.space.role == .origin, request.headerFields[.authorization] != nil { return .foreign }
        return .authenticated
    }

    /// Whether the answers that opened a connection are still those that would be given.
    private func isAdmissible(_ admission: OpenedConnection.Admission) -> Bool {
        guard admission.mayBeShared else { return false }
        if let end = admission.verdictEnd, end <= Date() { return false }
        if admission.identity != nil || admission.isAnonymous,
            admission.identity != identity(knownTo: url.endpoint, role: .origin).credential
        {
            return false
        }
        guard let proxy = route.proxy else { return true }
        if admission.proxyIdentity != nil || admission.isAnonymousToProxy,
            admission.proxyIdentity != identity(knownTo: proxy.endpoint, role: .proxy).credential
        {
            return false
        }
        guard route.usesTunnel else { return true }
        return admission.tunnel == core.memory.proxyCredential(Asker(proxy: proxy), own: proxy.credential)
    }

    private func identity(
        knownTo endpoint: Endpoint, role: ProtectionSpace.Role
    ) -> (space: ProtectionSpace, credential: Credential?) {
        let space = ProtectionSpace(
            host: endpoint.host, port: endpoint.port, scheme: "https", realm: nil, method: .clientCertificate,
            role: role)
        return (space, core.memory.identity(in: space))
    }
}
