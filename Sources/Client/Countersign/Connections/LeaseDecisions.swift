// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import EssentialFoundation
import HTTPTransport
import Identities
import NIOCore

/// Decides for one request of a session which connection it may use, and answers what the transport asks while it opens one.
final class LeaseDecisions {
    let core: SessionCore
    let route: RequestRoute
    /// `nil` where the connection is opened only to look at the origin's chain.
    let transaction: Transaction?
    /// Whether the request was lost with a pooled connection of HTTP/1.1.
    private let needsNewConnection: Bool
    /// Carries the count of the proxy's refusals from one connection to the next.
    let proxyAuthentication: RequestAuthentication?
    private let inspection: TrustInspection?
    private var origin: HandshakeDecisions?
    var proxy: HandshakeDecisions?
    var tunnel: Credential?

    /// The decisions for a request.
    init(for transaction: Transaction, needsNewConnection: Bool) {
        (core, route, self.transaction) = (transaction.core, transaction.route, transaction)
        self.needsNewConnection = needsNewConnection
        (proxyAuthentication, inspection) = (transaction.proxyAuthentication, nil)
    }

    /// The decisions for looking at an origin's chain.
    init(
        core: SessionCore, route: RequestRoute, proxyAuthentication: RequestAuthentication?, inspection: TrustInspection
    ) {
        (self.core, self.route, transaction, needsNewConnection) = (core, route, nil, false)
        (self.proxyAuthentication, self.inspection) = (proxyAuthentication, inspection)
    }

    /// Keeps with a connection what it is, by the handshake that HTTP goes over.
    func describe(_ connection: HTTPConnection, by handshake: HandshakeDecisions?) {
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
}

extension LeaseDecisions: LeaseDelegate {
    func connectionOpened(_ connection: HTTPConnection) {
        describe(connection, by: route.usesAbsoluteForm ? proxy : origin)
        core.report(.connected(connection.report))
    }

    func handshakeDelegate(for peer: ConnectionPeer, record: PeerRecord) -> any HandshakeDelegate {
        let isOrigin = peer.role == .origin
        let tls = isOrigin ? route.connection.originTLS : route.connection.proxyTLS
        let policy = tls?.trust ?? core.configuration.trust
        core.prepareEvaluator(for: policy)
        let decisions = HandshakeDecisions(
            core: core, peer: peer, policy: policy, record: record,
            isDirect: !isOrigin || route.proxy == nil, inspection: isOrigin ? inspection : nil,
            identityInAdvance: isOrigin ? transaction?.identityInAdvance : nil)
        if isOrigin { origin = decisions } else { proxy = decisions }
        return decisions
    }
}

/// Which idle connections a request may use: those whose answers are still the ones that would be given, and that no other user is
/// authenticated on.
extension LeaseDecisions {
    var acceptsPlainConnections: Bool {
        guard let transaction else { return false }
        return transaction.identityInAdvance == nil && !needsNewConnection && !route.usesTunnel
    }

    func fitness(of connection: HTTPConnection) -> HTTPConnection.Fitness {
        guard let transaction else { return .foreign }
        // The certificate of a renegotiation is presented by a connection that is opened for it.
        guard transaction.identityInAdvance == nil else { return .foreign }
        // Where one idle connection of HTTP/1.1 was dead, the others may be too; one of HTTP/2 is shared, and known to be alive.
        guard !needsNewConnection || connection.isMultiplexed else { return .foreign }
        let admission = connection.admission ?? OpenedConnection.Admission()
        guard isAdmissible(admission) else { return .outdated }
        let origin = fitness(of: admission.originBinding, transaction.originAuthentication)
        let proxy = fitness(of: admission.proxyBinding, transaction.proxyAuthentication)
        switch (origin, proxy) {
        case (.outdated, _), (_, .outdated): return .outdated
        case (.foreign, _), (_, .foreign): return .foreign
        case (.usable, .usable): return .usable
        default: return .authenticated
        }
    }

    /// Judges a connection by the user that it was authenticated as.
    private func fitness(of binding: BoundUser?, _ authentication: RequestAuthentication?) -> HTTPConnection.Fitness {
        guard let binding else { return .usable }
        guard let authentication, authentication.mayUse(binding) else {
            return core.memory.credential(in: binding.space, own: binding.own) == binding.credential
                ? .foreign : .outdated
        }
        // A request that brings its own field must not use another user's connection.
        if binding.space.role == .origin, transaction?.request.headerFields[.authorization] != nil { return .foreign }
        return .authenticated
    }

    /// Whether the answers that opened a connection are still those that would be given.
    private func isAdmissible(_ admission: OpenedConnection.Admission) -> Bool {
        guard admission.mayBeShared else { return false }
        if let end = admission.verdictEnd, end <= Date() { return false }
        let origin = ConnectionPeer.origin(route.connection.endpoint)
        if admission.identity != nil || admission.isAnonymous, admission.identity != knownIdentity(at: origin) {
            return false
        }
        guard let proxy = route.proxy else { return true }
        if admission.proxyIdentity != nil || admission.isAnonymousToProxy,
            admission.proxyIdentity != knownIdentity(at: .proxy(proxy.endpoint))
        {
            return false
        }
        guard route.usesTunnel else { return true }
        return admission.tunnel == core.memory.proxyCredential(Challenger(proxy: proxy), own: proxy.credential)
    }

    private func knownIdentity(at peer: ConnectionPeer) -> Credential? {
        core.memory.identity(in: .clientCertificate(at: peer))
    }
}

extension ProtectionSpace {
    /// What a server of TLS asks a client certificate for.
    static func clientCertificate(at peer: ConnectionPeer) -> Self {
        Self(
            host: peer.host, port: peer.port, scheme: "https", realm: nil, method: .clientCertificate,
            role: .init(peer.role))
    }
}
