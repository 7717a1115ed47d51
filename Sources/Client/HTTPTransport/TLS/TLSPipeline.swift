// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Identities
import NIOCore
import NIOSSL
import NIOTLS

/// The handlers of one TLS connection, and where they report what happens.
struct TLSPipeline: Sendable {
    let steps: AsyncStream<TLSHandshake.Step>.Continuation
    private let context: TLSContext
    private let contexts: TLSContextCache
    private let serverName: String?
    private let record: PeerRecord
    private let observation: FlightObservation
    private let timer: HandshakeTimer
    /// Whether a chain is trusted without a question to the delegate; called on the event loop.
    private let trustsImmediately: @Sendable ([NIOSSLCertificate]) -> Bool
    /// Puts on the channel what comes on top of TLS, by what the handshake has shown.
    private let above: @Sendable (any Channel) throws -> Void

    init(
        host: HostName, kind: TLSContext.Kind, identityInAdvance: Identity?, record: PeerRecord,
        steps: AsyncStream<TLSHandshake.Step>.Continuation, timer: HandshakeTimer, contexts: TLSContextCache,
        trustsImmediately: @escaping @Sendable ([NIOSSLCertificate]) -> Bool,
        above: @escaping @Sendable (any Channel) throws -> Void
    ) throws {
        (self.trustsImmediately, self.above) = (trustsImmediately, above)
        (self.steps, self.record, self.timer, self.contexts) = (steps, record, timer, contexts)
        // NIOSSL refuses an address as a server name, and RFC 6066 section 3 allows none.
        serverName = host.isAddress ? nil : host.description
        observation = FlightObservation(record: record)
        if let identityInAdvance {
            record.note { ($0.hasIdentity, $0.identityRequest) = (true, .withUnknownIssuers) }
            context = try TLSContext(kind, identityInAdvance: identityInAdvance)
        } else {
            context = try contexts.take(kind)
        }
        context.admit(observation, steps: steps)
    }

    /// Call it on the channel's event loop.
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

    /// Reads what the server said with its request for an identity, into the record.
    func readAcceptableIssuers() {
        observation.readAcceptableIssuers()
    }

    /// The handshake is over; what follows it is heard by what comes on top from its first byte on.
    private func end(_ outcome: Result<any Channel, any Error>) {
        timer.end()
        do {
            let channel = try outcome.get()
            observation.finish()
            if context.dismiss(observation) { contexts.put(context) }
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

/// Reports how a handshake ends, and leaves what follows to those who come after.
private final class TLSHandshakeMonitor: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let handler: NIOSSLHandler
    private let record: PeerRecord
    private let end: (Result<any Channel, any Error>) -> Void

    /// Watches one handshake; its end is told with the channel where it is complete, otherwise with what ended it.
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
