// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import EssentialFoundation
import HTTPTransport
import Identities
import NIOCore

/// Decides which connection one request of a session may use, and answers the transport's questions while it opens one.
final class LeaseDecisions {
    let context: RequestContext
    let route: RequestRoute
    /// The transaction; `nil` if the connection is opened only to inspect the origin's chain.
    let transaction: Transaction?
    /// Whether the request was lost with a pooled HTTP/1.1 connection.
    private let needsNewConnection: Bool
    /// The authentication to the proxy, which counts rejected credentials across connections.
    let proxyAuthentication: RequestAuthentication?
    private let inspection: TrustInspection?
    var core: SessionCore { context.core }
    private var origin: HandshakeDecisions?
    var proxy: HandshakeDecisions?
    var tunnel: Credential?

    /// Creates the decisions for a request.
    init(for transaction: Transaction, needsNewConnection: Bool) {
        (context, route, self.transaction) = (transaction.context, transaction.route, transaction)
        self.needsNewConnection = needsNewConnection
        (proxyAuthentication, inspection) = (transaction.proxyAuthentication, nil)
    }

    /// Creates the decisions for the inspection of an origin's chain.
    init(
        context: RequestContext, route: RequestRoute, proxyAuthentication: RequestAuthentication?,
        inspection: TrustInspection
    ) {
        (self.context, self.route, transaction, needsNewConnection) = (context, route, nil, false)
        (self.proxyAuthentication, self.inspection) = (proxyAuthentication, inspection)
    }

    /// Attaches the report and the admission to a connection; `handshake` is the handshake of the TLS connection that
    /// carries HTTP.
    func describe(_ connection: HTTPConnection, by handshake: HandshakeDecisions?) {
        // Plain http over TLS to a proxy is not encrypted between the proxy and the origin.
        let tls = handshake.flatMap { ConnectionReport.TLS($0) }
        let isEncrypted = route.connection.originTLS != nil
        let channel = connection.channel
        var report = ConnectionReport(
            endpoint: route.connection.endpoint, proxy: route.proxy, tls: isEncrypted ? tls : nil,
            httpVersion: connection.isMultiplexed ? .http2 : .http1, peerAddress: channel.remoteAddress?.ipAddress,
            localPort: channel.localAddress?.port, opening: connection.opening)
        if !isEncrypted { report.forwarderCertificateRequest = tls?.unansweredCertificateRequest }
        connection.attachment = OpenedConnection(
            report: SharedReport(report), channelBinding: handshake?.facts.channelBinding, admission: admission)
    }

    private var admission: OpenedConnection.Admission {
        var admission = OpenedConnection.Admission()
        admission.tunnel = tunnel
        if let proxy {
            let facts = proxy.facts
            (admission.proxyIdentity, admission.isAnonymousToProxy) = (facts.identity, proxy.record.facts.isAnonymous)
            (admission.proxyAcceptedTrust, admission.verdictExpiry) = (facts.acceptedTrust, facts.verdictExpiry)
        }
        if let origin {
            let facts = origin.facts
            (admission.identity, admission.isAnonymous) = (facts.identity, origin.record.facts.isAnonymous)
            admission.acceptedTrust = facts.acceptedTrust
            admission.verdictExpiry = [admission.verdictExpiry, facts.verdictExpiry].compactMap(\.self).min()
        }
        return admission
    }
}

extension LeaseDecisions: LeaseDelegate {
    func connectionOpened(_ connection: HTTPConnection) {
        describe(connection, by: route.usesAbsoluteForm ? proxy : origin)
        context.report(.connected(connection.report))
    }

    func handshakeDelegate(for peer: ConnectionPeer, record: PeerRecord) -> any HandshakeDelegate {
        let isOrigin = peer.role == .origin
        let tls = isOrigin ? route.connection.originTLS : route.connection.proxyTLS
        let policy = tls?.trust ?? core.configuration.trust
        core.prepareEvaluator(for: policy)
        let decisions = HandshakeDecisions(
            reporter: context.reporter, peer: peer, policy: policy, record: record,
            isDirect: !isOrigin || route.proxy == nil, inspection: isOrigin ? inspection : nil)
        if isOrigin { origin = decisions } else { proxy = decisions }
        return decisions
    }
}

/// The selection among idle connections: a request may use a connection if the decisions that opened it still hold, and
/// if no other user is authenticated on it.
extension LeaseDecisions {
    var acceptsPlainConnections: Bool {
        transaction != nil && !needsNewConnection && !route.usesTunnel
    }

    var prefersAuthenticatedConnections: Bool {
        guard let transaction else { return false }
        return transaction.originAuthentication.mayUseAuthenticatedConnection
            || transaction.proxyAuthentication?.mayUseAuthenticatedConnection == true
    }

    func fitness(of connection: HTTPConnection) -> HTTPConnection.Fitness {
        guard let transaction else { return .foreign }
        // If one idle HTTP/1.1 connection was dead, the others may be dead too; an HTTP/2 connection is shared, and
        // known to be alive.
        guard !needsNewConnection || connection.isMultiplexed else { return .foreign }
        let admission = connection.admission ?? OpenedConnection.Admission()
        guard connection.mayBeShared, isAdmissible(admission) else { return .outdated }
        let origin = fitness(of: admission.originBinding, transaction.originAuthentication)
        let proxy = fitness(of: admission.proxyBinding, transaction.proxyAuthentication)
        switch (origin, proxy) {
        case (.outdated, _), (_, .outdated): return .outdated
        case (.foreign, _), (_, .foreign): return .foreign
        case (.usable, .usable): return .usable
        default: return .authenticated
        }
    }

    /// Returns the fitness of a connection according to the user that it is authenticated as.
    private func fitness(of binding: BoundUser?, _ authentication: RequestAuthentication?) -> HTTPConnection.Fitness {
        guard let binding else { return .usable }
        guard let authentication, authentication.mayUse(binding) else {
            return core.memory.credential(in: binding.space, own: binding.own) == binding.credential
                ? .foreign : .outdated
        }
        // A request with its own Authorization field must not use another user's connection.
        if binding.space.role == .origin, transaction?.request.explicitFields[.authorization] != nil { return .foreign }
        return .authenticated
    }

    /// Returns whether the decisions that opened a connection would still be made now.
    private func isAdmissible(_ admission: OpenedConnection.Admission) -> Bool {
        if let end = admission.verdictExpiry, end <= Date() { return false }
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
    /// Returns the protection space of the client certificate for a TLS server.
    static func clientCertificate(at peer: ConnectionPeer) -> Self {
        Self(
            host: peer.host, port: peer.port, scheme: "https", realm: nil, method: .clientCertificate,
            role: .init(peer.role))
    }
}
