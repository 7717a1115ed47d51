// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Identities
import NIOCore
import NIOSSL
import NIOTLS

/// The handlers of one TLS connection, and the recipients of their events.
struct TLSPipeline: Sendable {
    let steps: AsyncStream<TLSHandshake.Step>.Continuation
    private let context: TLSContext
    private let contexts: TLSContextCache
    private let serverName: String?
    private let record: PeerRecord
    private let observation: FlightObservation
    private let timer: HandshakeTimer
    /// Returns whether a chain is trusted without a call to the delegate's task; called on the event loop.
    private let trustsImmediately: @Sendable ([NIOSSLCertificate]) -> Bool
    /// Adds the handlers above TLS, which depend on the result of the handshake.
    private let above: @Sendable (any Channel) throws -> Void

    init(
        host: HostName, kind: TLSContext.Kind, preemptiveIdentity: Identity?, record: PeerRecord,
        steps: AsyncStream<TLSHandshake.Step>.Continuation, timer: HandshakeTimer, contexts: TLSContextCache,
        trustsImmediately: @escaping @Sendable ([NIOSSLCertificate]) -> Bool,
        above: @escaping @Sendable (any Channel) throws -> Void
    ) throws {
        (self.trustsImmediately, self.above) = (trustsImmediately, above)
        (self.steps, self.record, self.timer, self.contexts) = (steps, record, timer, contexts)
        // NIOSSL rejects an IP address as a server name, as RFC 6066 section 3 requires.
        serverName = host.isAddress ? nil : host.description
        observation = FlightObservation(record: record)
        if let preemptiveIdentity {
            record.note { ($0.hasIdentity, $0.identityRequest) = (true, .withUnknownIssuers) }
            context = try TLSContext(kind, preemptiveIdentity: preemptiveIdentity)
        } else {
            context = try contexts.take(kind)
        }
        context.beginHandshake(observation, steps: steps)
    }

    /// Adds the handlers; call it on the channel's event loop.
    func addHandlers(to channel: any Channel) throws {
        let handler = try context.handler(serverName: serverName) { [steps, trustsImmediately] chain, promise in
            guard !trustsImmediately(chain) else {
                return promise.succeed(.certificateVerified(VerificationMetadata(nil)))
            }
            steps.yield(orAbandon: .presented(chain, promise))
        }
        try channel.pipeline.syncOperations.addHandlers(
            ServerFlightObserver(observation, timer: timer), handler,
            TLSHandshakeMonitor(of: handler, record: record, end: end))
    }

    /// Reads the acceptable issuers of the server's request for an identity into the record.
    func readAcceptableIssuers() {
        observation.readAcceptableIssuers()
    }

    /// Ends the handshake, and adds the handlers above TLS, which receive the first decrypted byte.
    private func end(_ outcome: Result<any Channel, any Error>) {
        timer.end()
        do {
            let channel = try outcome.get()
            observation.finish()
            if context.endHandshake(observation) { contexts.put(context) }
            try above(channel)
            steps.yield(orAbandon: .completed)
        } catch {
            steps.yield(orAbandon: .failed(error))
        }
    }
}

extension AsyncStream<TLSHandshake.Step>.Continuation {
    func yield(orAbandon step: TLSHandshake.Step) {
        if case .enqueued = yield(step) { return }
        step.abandon(because: CancellationError())
    }
}

/// A handler that reports the end of a handshake and then removes itself,
/// so that later events reach the handlers above TLS.
private final class TLSHandshakeMonitor: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let handler: NIOSSLHandler
    private let record: PeerRecord
    private let end: (Result<any Channel, any Error>) -> Void

    /// Monitors one handshake; `end` receives the channel on success, and otherwise the error.
    init(of handler: NIOSSLHandler, record: PeerRecord, end: @escaping (Result<any Channel, any Error>) -> Void) {
        (self.handler, self.record, self.end) = (handler, record, end)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        guard case TLSUserEvent.handshakeCompleted(let applicationProtocol) = event else { return }
        let version = handler.tlsVersion
        record.note { ($0.version, $0.applicationProtocol) = (version.map(\.name), applicationProtocol) }
        let channel = context.channel
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        end(.success(channel))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(.failure(error))
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(.failure(ChannelError.eof))
        context.fireChannelInactive()
    }
}

extension TLSVersion {
    fileprivate var name: String {
        switch self {
        case .tlsv1: "TLSv1.0"
        case .tlsv11: "TLSv1.1"
        case .tlsv12: "TLSv1.2"
        case .tlsv13: "TLSv1.3"
        }
    }
}
