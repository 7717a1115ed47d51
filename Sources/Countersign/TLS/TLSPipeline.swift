// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import Identities
import NIOCore
import NIOSSL

/// The handlers of one TLS connection, and where they report what happens.
struct TLSPipeline: Sendable {
    let steps: AsyncStream<TLSHandshake.Step>.Continuation
    private let context: NIOSSLContext
    private let serverName: String?
    private let record: ConnectionRecord
    private let observation: FlightObservation

    init(
        host: HostName, versions: Session.TLSVersions, applicationProtocols: [String],
        identityInAdvance: Credential?, record: ConnectionRecord, steps: AsyncStream<TLSHandshake.Step>.Continuation
    ) throws {
        self.steps = steps
        self.record = record
        // NIOSSL refuses an address as a server name, and RFC 6066 section 3 allows none.
        serverName = host.isAddress ? nil : host.description
        let observation = FlightObservation(record: record)
        self.observation = observation
        var configuration = try Self.configuration(versions, identityInAdvance, record: record, steps: steps)
        configuration.applicationProtocols = applicationProtocols
        configuration.keyLogCallback = { observation.receive(keyLogLine: $0) }
        context = try NIOSSLContext(configuration: configuration)
    }

    /// Call it on the channel's event loop.
    func addHandlers(to channel: any Channel) throws {
        let handler = try NIOSSLClientHandler(context: context, serverHostname: serverName) { [steps] chain, promise in
            steps.yield(orAbandon: .presented(chain, promise))
        }
        try channel.pipeline.syncOperations.addHandlers(
            ServerFlightObserver(observation), handler,
            TLSHandshakeMonitor(of: handler, record: record) { [steps] in steps.yield(orAbandon: $0) }
        )
    }

    private static func configuration(
        _ versions: Session.TLSVersions, _ identityInAdvance: Credential?, record: ConnectionRecord,
        steps: AsyncStream<TLSHandshake.Step>.Continuation
    ) throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        // The chain is judged by the policy, host name included; NIOSSL only proves possession of the key.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([])
        configuration.minimumTLSVersion = versions == .onlyTLS13 ? .tlsv13 : .tlsv12
        configuration.maximumTLSVersion = versions == .onlyTLS12 ? .tlsv12 : .tlsv13
        if case .identity(let identity) = identityInAdvance?.kind {
            record.note {
                ($0.identity, $0.certificateRequest) = (identityInAdvance, .whoseIssuersAreUnknown)
            }
            configuration.certificateChain = try identity.nioSSLChain
            configuration.privateKey = try identity.nioSSLPrivateKey
            configuration.renegotiationSupport = .once
        } else {
            let first = FirstAnswer()
            configuration.sslContextCallback = { _, promise in
                first.request(promise) { steps.yield(orAbandon: .identityRequested($0)) }
            }
        }
        return configuration
    }
}

extension AsyncStream<TLSHandshake.Step>.Continuation {
    func yield(orAbandon step: TLSHandshake.Step) {
        if case .enqueued = yield(step) { return }
        step.abandon(because: CancellationError())
    }
}
