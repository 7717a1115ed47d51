// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import HTTPTypes
import Identities
import NIOCore
import NIOPosix

/// Opens connections: TCP, the proxy's tunnel, TLS, and every question on the way.
struct Connector: Sendable {
    let core: SessionCore
    let route: Route
    /// What a server of TLS 1.2 that renegotiates is answered with, because NIOSSL can then ask nobody any more.
    let identityInAdvance: Credential?

    /// Opens a connection that is ready for its first request.
    ///
    /// - Parameter proxyRounds: What the proxy has been told so far; carries the count of failures across connections.
    func connect(proxyRounds: inout AuthenticationRounds?) async throws -> HTTPConnection {
        let peer = route.proxy?.endpoint ?? route.endpoint
        let channel = try await openChannel(to: peer)
        do {
            return try await prepare(channel, peer: peer, proxyRounds: &proxyRounds)
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }

    private func prepare(
        _ channel: any Channel, peer: Endpoint, proxyRounds: inout AuthenticationRounds?
    ) async throws -> HTTPConnection {
        var admission = HTTPConnection.Admission()
        var record = ConnectionRecord()
        if let proxy = route.proxy, proxy.usesTLS {
            record = try await handshake(on: channel, with: proxy.endpoint, role: .proxy)
        }
        if let proxy = route.proxy, route.scheme == .https {
            let failure = ChannelFailure(endpoint: proxy.endpoint, record: record)
            try await addHTTP(to: channel, failure: failure)
            let bare = connection(channel, failure: failure, admission: admission)
            guard var rounds = proxyRounds else { throw SessionError.sessionClosed }
            defer { proxyRounds = rounds }
            admission.tunnel = try await Tunnel(core: core, proxy: proxy, target: route.endpoint)
                .open(over: bare, rounds: &rounds)
        }
        if route.scheme == .https {
            record = try await handshake(on: channel, with: route.endpoint, role: .origin)
            admission.identity = record.facts.identity
            admission.acceptedTrust = record.facts.acceptedTrust
        }
        let failure = ChannelFailure(endpoint: route.endpoint, record: record)
        try await addHTTP(to: channel, failure: failure)
        let ready = connection(channel, failure: failure, admission: admission)
        core.report(.connected(ready.report))
        return ready
    }

    private func openChannel(to endpoint: Endpoint) async throws -> any Channel {
        let timeout = TimeAmount(core.configuration.connectTimeout)
        let opening = ClientBootstrap(group: core.group)
            .connectTimeout(timeout)
            .channelOption(.autoRead, value: false)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: endpoint.host.description, port: endpoint.port)
        let result = opening.eventLoop.makePromise(of: (any Channel).self)
        opening.cascade(to: result)
        return try await withTaskCancellationHandler {
            do {
                return try await result.futureResult.get()
            } catch {
                throw ConnectFailure.classify(error, endpoint)
            }
        } onCancel: {
            result.fail(CancellationError())
            opening.whenSuccess { $0.close(promise: nil) }
        }
    }

    private func addHTTP(to channel: any Channel, failure: ChannelFailure) async throws {
        let idleTimeout = core.configuration.idleTimeout
        do {
            try await channel.eventLoop.submit {
                try HTTPConnection.addHandlers(to: channel, idleTimeout: idleTimeout, failure: failure)
            }.get()
            try await channel.setOption(.autoRead, value: true).get()
        } catch {
            throw failure.classify(error, .request)
        }
    }

    private func connection(
        _ channel: any Channel, failure: ChannelFailure, admission: HTTPConnection.Admission
    ) -> HTTPConnection {
        // Plain http through an encrypted connection to a proxy is not encrypted to its origin.
        let tls = route.scheme == .https ? ConnectionReport.TLS(failure.record.facts) : nil
        let report = ConnectionReport(endpoint: route.endpoint, proxy: route.proxy, tls: tls)
        return HTTPConnection(channel: channel, report: report, admission: admission, failure: failure)
    }

    private func handshake(
        on channel: any Channel, with endpoint: Endpoint, role: ProtectionSpace.Role
    ) async throws -> ConnectionRecord {
        let decisions = TLSDecisions(core: core, endpoint: endpoint, role: role, policy: policy(for: role))
        return try await TLSHandshake(
            endpoint: endpoint, versions: route.tlsVersions, patience: core.configuration.idleTimeout,
            identityInAdvance: role == .origin ? identityInAdvance : nil,
            decideTrust: decisions.decideTrust, chooseIdentity: decisions.chooseIdentity
        ).perform(on: channel)
    }

    /// Pins speak of the origin; the proxy satisfies the rest of the policy.
    private func policy(for role: ProtectionSpace.Role) -> TrustPolicy {
        var policy = route.trust
        if role == .proxy { policy.pins = [] }
        return policy
    }
}

extension TimeAmount {
    init(_ duration: Duration) {
        self = .nanoseconds(
            duration.components.seconds * 1_000_000_000 + duration.components.attoseconds / 1_000_000_000)
    }
}
