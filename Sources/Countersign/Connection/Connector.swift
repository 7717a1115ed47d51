// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import HTTPTypes
import Identities
import NIOConcurrencyHelpers
import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Opens connections: TCP, the proxy's tunnel, TLS, and every question on the way.
struct Connector: Sendable {
    let core: SessionCore
    let route: Route
    /// Answers a server of TLS 1.2 that renegotiates, because NIOSSL has no callback for that.
    let identityInAdvance: Credential?
    /// Where the connection is opened only to look at the origin's chain.
    var inspection: TrustInspection?

    /// Opens a connection that is ready for its first request.
    ///
    /// The proxy's rounds carry the count of its refusals from one connection to the next.
    func connect(proxyRounds: AuthenticationRounds?) async throws -> HTTPConnection {
        while true {
            do {
                return try await open(proxyRounds: proxyRounds)
            } catch is TunnelClosed {
                continue
            }
        }
    }

    private func open(proxyRounds: AuthenticationRounds?) async throws -> HTTPConnection {
        if let proxy = route.proxy, proxy.kind == .socks5 {
            guard let rounds = proxyRounds else { throw SessionError.sessionClosed }
            return try await open(throughSOCKS: proxy, rounds: rounds)
        }
        let first = try firstLayer()
        var opening = ConnectionOpening()
        // The first layer is there before the first byte: a server that speaks and hangs up at once is heard.
        let channel = try await openSocket(&opening) { try first.add(to: $0) }
        do {
            return try await prepare(channel, above: first, opening: opening, proxyRounds: proxyRounds)
        } catch {
            channel.close(promise: nil)
            // Cancelling the task closes the connection, which must not be taken for a failure of the peer.
            try Task.checkCancellation()
            throw error
        }
    }

    /// Opens the socket; a name has been looked up when the first of its addresses is tried.
    private func openSocket(
        _ opening: inout ConnectionOpening, _ initialize: @escaping @Sendable (any Channel) throws -> Void
    ) async throws -> any Channel {
        let opener = ChannelOpener(
            group: core.group, timeout: core.configuration.connectTimeout,
            role: route.proxy == nil ? .origin : .proxy)
        let firstAttempt = NIOLockedValueBox<ContinuousClock.Instant?>(nil)
        // A proxy was chosen by the user, and it is the proxy that connects further.
        let reach = route.proxy == nil ? core.reach : nil
        let channel = try await opener.open(nearEnd) { channel in
            firstAttempt.withLockedValue { $0 = $0 ?? .now }
            if let reach { try channel.pipeline.syncOperations.addHandler(AddressGuard(reach)) }
            try initialize(channel)
        }
        opening.finish(.tcp)
        if case .endpoint(let place) = nearEnd, !place.host.isAddress {
            opening.lookup = firstAttempt.withLockedValue { $0.map { $0 - opening.start } }
        }
        return channel
    }

    /// Where the socket leads.
    private var nearEnd: Detour {
        route.unixSocket.map { .unixSocket(path: $0) } ?? .endpoint(route.proxy?.endpoint ?? route.destination)
    }

    private func open(throughSOCKS proxy: Proxy, rounds: AuthenticationRounds) async throws -> HTTPConnection {
        let tunnel = SOCKSTunnel(
            proxy: proxy.endpoint, destination: route.destination, patience: core.configuration.idleTimeout)
        var opening = ConnectionOpening()
        let channel = try await openSocket(&opening) { try tunnel.addHandler(to: $0) }
        do {
            var admission = HTTPConnection.Admission()
            admission.tunnel = try await tunnel.open(over: channel, rounds: rounds)
            opening.finish(.proxy)
            let top = try originLayer()
            try await tunnel.giveWay(to: top, on: channel)
            return try await complete(channel, with: top, admission, opening: opening)
        } catch {
            channel.close(promise: nil)
            // Cancelling the task closes the connection, which must not be taken for a failure of the peer.
            try Task.checkCancellation()
            throw error
        }
    }

    private func firstLayer() throws -> ConnectionLayer {
        guard let proxy = route.proxy else { return try originLayer() }
        let peer = SessionError.Peer.proxy(proxy.endpoint)
        if let tls = route.proxyTLS { return .tls(try handshake(with: peer, tls)) }
        return http(ChannelFailure(peer: peer, record: ConnectionRecord()))
    }

    private func prepare(
        _ channel: any Channel, above first: ConnectionLayer, opening: ConnectionOpening,
        proxyRounds: AuthenticationRounds?
    ) async throws -> HTTPConnection {
        var opening = opening
        var admission = HTTPConnection.Admission()
        guard let proxy = route.proxy else {
            return try await complete(channel, with: first, admission, opening: opening)
        }
        var top = first
        let failure = try await settle(&top, on: channel)
        if route.proxyTLS != nil {
            let facts = failure.record.facts
            (admission.proxyIdentity, admission.isAnonymousToProxy) = (facts.identity, facts.isAnonymous)
            admission.proxyAcceptedTrust = facts.acceptedTrust
            admission.verdictEnd = facts.verdictEnd
        }
        if route.usesTunnel {
            guard let rounds = proxyRounds else { throw SessionError.sessionClosed }
            let bare = connection(channel, speaking: top, failure: failure, admission: admission, opening: opening)
            admission.tunnel = try await Tunnel(core: core, proxy: proxy, target: route.destination)
                .open(over: bare, rounds: rounds)
            opening.finish(.proxy)
            top = try originLayer()
            do {
                try await add(top, to: channel)
            } catch {
                // The proxy closed the connection behind the word by which it opened the tunnel.
                throw failure.classify(error, .proxyTunnel)
            }
        }
        return try await complete(channel, with: top, admission, opening: opening)
    }

    /// Carries the last layer through its handshake, if it has one.
    private func complete(
        _ channel: any Channel, with last: ConnectionLayer, _ admission: HTTPConnection.Admission,
        opening: ConnectionOpening
    ) async throws -> HTTPConnection {
        var (top, admission, opening) = (last, admission, opening)
        let failure = try await settle(&top, on: channel)
        if route.scheme == .https {
            let facts = failure.record.facts
            (admission.identity, admission.isAnonymous) = (facts.identity, facts.isAnonymous)
            admission.acceptedTrust = facts.acceptedTrust
            admission.verdictEnd = [admission.verdictEnd, facts.verdictEnd].compactMap(\.self).min()
            opening.finish(.tls)
        }
        let ready = connection(channel, speaking: top, failure: failure, admission: admission, opening: opening)
        core.report(.connected(ready.report))
        return ready
    }

    /// The first layer that the origin itself speaks.
    private func originLayer() throws -> ConnectionLayer {
        let peer = SessionError.Peer.origin(route.endpoint)
        if let tls = route.originTLS { return .tls(try handshake(with: peer, tls)) }
        return http(ChannelFailure(peer: peer, record: ConnectionRecord()))
    }

    /// Carries a layer of TLS through its handshake, to the layer of HTTP on top of it.
    private func settle(_ layer: inout ConnectionLayer, on channel: any Channel) async throws -> ChannelFailure {
        switch layer {
        case .tls(let handshake):
            layer = try await handshake.perform(on: channel)
            if handshake.peer.role == .origin, route.httpVersions == .onlyHTTP2, layer.streams == nil {
                throw SessionError.httpVersionNotOffered(handshake.peer, .onlyHTTP2)
            }
            let failure = ChannelFailure(peer: handshake.peer, record: handshake.record)
            guard channel.isActive else { throw failure.classify(ChannelError.eof, .request) }
            return failure
        case .http1(let failure, _), .http2(_, let failure):
            return failure
        }
    }

    /// Without TLS nothing is negotiated (RFC 9113 section 3.3).
    private func http(_ failure: ChannelFailure) -> ConnectionLayer {
        let isHTTP2 =
            failure.peer.role == .origin
            && (route.originTLS == nil
                ? route.httpVersions == .onlyHTTP2 : failure.record.facts.applicationProtocol == "h2")
        return isHTTP2
            ? .http2(HTTP2Streams(idleTimeout: core.configuration.idleTimeout), failure)
            : .http1(failure, HTTP1Settings(core.configuration))
    }

    private func add(_ layer: ConnectionLayer, to channel: any Channel) async throws {
        try await channel.eventLoop.submit { try layer.add(to: channel) }.get()
    }

    private func connection(
        _ channel: any Channel, speaking layer: ConnectionLayer, failure: ChannelFailure,
        admission: HTTPConnection.Admission, opening: ConnectionOpening
    ) -> HTTPConnection {
        // Plain http through an encrypted connection to a proxy is not encrypted to its origin.
        let tls = route.scheme == .https ? ConnectionReport.TLS(failure.record.facts) : nil
        let report = ConnectionReport(
            endpoint: route.endpoint, proxy: route.proxy, tls: tls, httpVersion: layer.streams == nil ? .http1 : .http2,
            peerAddress: channel.remoteAddress?.ipAddress, localPort: channel.localAddress?.port, opening: opening)
        return HTTPConnection(
            channel: channel, streams: layer.streams, report: report, admission: admission, failure: failure,
            channelBinding: failure.record.facts.channelBinding)
    }

    private func handshake(
        with peer: SessionError.Peer, _ tls: TLSRequirements
    ) throws -> TLSHandshake {
        let isOrigin = peer.role == .origin
        var decisions = TLSDecisions(core: core, endpoint: peer.endpoint, role: peer.role, policy: tls.trust)
        decisions.isDirect = !isOrigin || route.proxy == nil
        if isOrigin { decisions.inspection = inspection }
        return try TLSHandshake(
            kind: TLSContext.Kind(
                versions: tls.versions, httpVersions: isOrigin ? route.httpVersions : .onlyHTTP1),
            patience: core.configuration.handshakeTimeout,
            identityInAdvance: isOrigin ? identityInAdvance : nil, decisions: decisions
        ) { record in http(ChannelFailure(peer: peer, record: record)) }
    }
}
