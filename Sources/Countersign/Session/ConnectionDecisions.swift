// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTransport
import Identities
import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Opens one connection for a session, and answers what the transport asks on the way.
final class ConnectionDecisions {
    private let core: SessionCore
    private let route: RequestRoute
    /// Carries the count of the proxy's refusals from one connection to the next.
    private let proxyRounds: AuthenticationRounds?
    /// Presented to an origin of TLS 1.2 that renegotiates.
    private let identityInAdvance: Credential?
    /// Where the connection is opened only to look at the origin's chain.
    private let inspection: TrustInspection?
    private var origin: HandshakeDecisions?
    private var proxy: HandshakeDecisions?
    private var tunnel: Credential?

    init(
        core: SessionCore, route: RequestRoute, proxyRounds: AuthenticationRounds?,
        identityInAdvance: Credential? = nil, inspection: TrustInspection? = nil
    ) {
        (self.core, self.route, self.proxyRounds) = (core, route, proxyRounds)
        (self.identityInAdvance, self.inspection) = (identityInAdvance, inspection)
    }

    /// Opens the connection.
    ///
    /// - Throws: ``SessionError``, what a handler throws, and `CancellationError` where the task is cancelled.
    func open() async throws -> HTTPConnection {
        let identity: Identity? = if case .identity(let identity) = identityInAdvance?.kind { identity } else { nil }
        let connector = Connector(
            settings: core.connectionSettings, route: route.connection, identityInAdvance: identity)
        var connection = try await SessionError.translating { try await connector.connect(delegate: self) }
        describe(&connection, by: route.usesAbsoluteForm ? proxy : origin)
        core.report(.connected(connection.report))
        return connection
    }

    /// Keeps with a connection what it is, by the handshake that HTTP goes over.
    private func describe(_ connection: inout HTTPConnection, by handshake: HandshakeDecisions?) {
        // Plain http through an encrypted connection to a proxy is not encrypted to its origin.
        let tls = route.connection.originTLS == nil ? nil : handshake.flatMap { ConnectionReport.TLS($0) }
        let channel = connection.channel
        let report = ConnectionReport(
            endpoint: route.connection.endpoint, proxy: route.proxy, tls: tls,
            httpVersion: connection.isMultiplexed ? .http2 : .http1, peerAddress: channel.remoteAddress?.ipAddress,
            localPort: channel.localAddress?.port, opening: connection.opening)
        connection.attachment = OpenedConnection(
            report: SharedReport(report), channelBinding: handshake?.facts.channelBinding, admission: admission)
    }

    private var admission: OpenedConnection.Admission {
        var admission = OpenedConnection.Admission()
        admission.tunnel = tunnel
        if let proxy {
            let facts = proxy.facts
            (admission.proxyIdentity, admission.isAnonymousToProxy) = (facts.identity, proxy.record.facts.isAnonymous)
            (admission.proxyAcceptedTrust, admission.verdictEnd) = (facts.acceptedTrust, facts.verdictEnd)
        }
        if let origin {
            let facts = origin.facts
            (admission.identity, admission.isAnonymous) = (facts.identity, origin.record.facts.isAnonymous)
            admission.acceptedTrust = facts.acceptedTrust
            admission.verdictEnd = [admission.verdictEnd, facts.verdictEnd].compactMap(\.self).min()
        }
        return admission
    }

    private func rounds() throws -> AuthenticationRounds {
        guard let proxyRounds else { throw SessionError.sessionClosed }
        return proxyRounds
    }
}

extension ConnectionDecisions: ConnectionDelegate {
    func handshakeDelegate(for peer: ConnectionPeer, record: ConnectionRecord) -> any HandshakeDelegate {
        let isOrigin = peer.role == .origin
        let policy = (isOrigin ? route.connection.originTLS : route.connection.proxyTLS)?.trust
        let decisions = HandshakeDecisions(
            core: core, peer: peer, policy: policy ?? core.configuration.trust, record: record,
            isDirect: !isOrigin || route.proxy == nil, inspection: isOrigin ? inspection : nil,
            identityInAdvance: isOrigin ? identityInAdvance : nil)
        if isOrigin { origin = decisions } else { proxy = decisions }
        return decisions
    }

    func openTunnel(to target: Endpoint, over connection: HTTPConnection) async throws {
        let rounds = try rounds()
        guard let server = route.proxy else { return }
        var connection = connection
        describe(&connection, by: proxy)
        tunnel = try await ProxyTunnel(core: core, proxy: server, target: target)
            .open(over: connection, rounds: rounds)
    }

    func socksLogin() async throws -> (login: SOCKSLogin, wasKnown: Bool) {
        let rounds = try rounds()
        let wasKnown = rounds.login != nil
        let credential = try await rounds.findLogin()
        guard case .password(let user, let password) = credential.kind else {
            throw SessionError.unanswerableChallenge(rounds.asker.socksSpace, .unsuitableCredential(.socksPassword))
        }
        tunnel = credential
        return (SOCKSLogin(user: user, password: password), wasKnown)
    }

    func socksLoginAccepted() {
        proxyRounds?.acceptLogin()
    }

    func socksLoginRejected() async throws {
        tunnel = nil
        try await rounds().rejectLogin()
    }
}
