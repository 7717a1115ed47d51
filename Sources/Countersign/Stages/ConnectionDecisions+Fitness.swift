// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTransport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which idle connections a request may use: those whose answers are still the ones that would be given, and that no other user is
/// authenticated on.
extension ConnectionDecisions {
    var acceptsPlainConnections: Bool {
        guard let transaction else { return false }
        return transaction.identityInAdvance == nil && !transaction.needsNewConnection && !route.usesTunnel
    }

    func fitness(of connection: HTTPConnection) -> ConnectionFitness {
        guard let transaction else { return .foreign }
        // The certificate of a renegotiation is presented by a connection that is opened for it.
        guard transaction.identityInAdvance == nil else { return .foreign }
        // Where one idle connection of HTTP/1.1 was dead, the others may be too; one of HTTP/2 is shared, and known to be alive.
        guard !transaction.needsNewConnection || connection.isMultiplexed else { return .foreign }
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
    private func fitness(of binding: ConnectionBinding?, _ authentication: RequestAuthentication?) -> ConnectionFitness
    {
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
