// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import Identities
import NIOCore
import NIOSSL

/// Carries a channel through a TLS handshake and asks what the handshake asks: whether to trust, and which identity to present.
///
/// NIOSSL's callbacks run on the event loop; here they become steps of a stream, so that the answers are given in the
/// caller's own task, may take as long as a person needs, and end with that task.
struct TLSHandshake: Sendable {
    enum Step: Sendable {
        case presented([NIOSSLCertificate], EventLoopPromise<NIOSSLVerificationResultWithMetadata>)
        case identityRequested(EventLoopPromise<NIOSSLContextConfigurationOverride>)
        /// What comes on top is on the channel.
        case completed(ConnectionLayer)
        case failed(any Error)
    }

    let record: ConnectionRecord
    let pipeline: TLSPipeline
    private let patience: HandshakePatience
    private let decisions: TLSDecisions
    private let steps: AsyncStream<Step>

    var peer: SessionError.Peer { decisions.peer }

    /// Prepares a handshake; an identity given in advance is presented without asking a handler, which is the only way to
    /// answer a renegotiation of TLS 1.2.
    init(
        kind: TLSContext.Kind, patience: Duration, identityInAdvance: Credential?, decisions: TLSDecisions,
        above: @escaping @Sendable (ConnectionRecord) -> ConnectionLayer
    ) throws {
        let (steps, continuation) = AsyncStream.makeStream(of: Step.self)
        self.decisions = decisions
        self.steps = steps
        record = ConnectionRecord()
        record.note { $0.offeredVersions = kind.httpVersions }
        let peer = decisions.peer
        self.patience = HandshakePatience(patience) {
            continuation.yield(orAbandon: .failed(SessionError.timedOut(peer, .handshake)))
        }
        pipeline = try TLSPipeline(
            host: peer.host, kind: kind, identityInAdvance: identityInAdvance, record: record, steps: continuation,
            patience: self.patience, shelf: decisions.core.contexts, trustsAtOnce: Self.trust(decisions, record),
            above: above)
    }

    /// What is known of a session without holding it: NIOSSL keeps its question as long as the connection.
    private static func trust(
        _ decisions: TLSDecisions, _ record: ConnectionRecord
    ) -> @Sendable ([NIOSSLCertificate]) -> Bool {
        let (endpoint, role, policy) = (decisions.endpoint, decisions.role, decisions.policy)
        return { [weak core = decisions.core, inspection = decisions.inspection] certificates in
            guard let core else { return false }
            return TLSDecisions(core: core, endpoint: endpoint, role: role, policy: policy, inspection: inspection)
                .trustsAtOnce(certificates, record: record)
        }
    }

    /// Runs the handshake on a channel that has the pipeline's handlers; where it fails, the channel is closed.
    ///
    /// - Returns: What comes on top of TLS, already on the channel.
    func perform(on channel: any Channel) async throws -> ConnectionLayer {
        record.note { $0.peerAddress = channel.remoteAddress }
        do {
            return try await follow()
        } catch {
            channel.close(promise: nil)
            decisions.reportTrust(of: record)
            pipeline.steps.finish()
            for await step in steps { step.abandon(because: error) }
            try Task.checkCancellation()
            throw ChannelFailure(peer: peer, record: record).classify(error, .handshake)
        }
    }

    private func follow() async throws -> ConnectionLayer {
        for await step in steps {
            patience.pause()
            decisions.reportTrust(of: record)
            do {
                if let layer = try await take(step) { return layer }
            } catch {
                step.abandon(because: error)
                throw error
            }
            patience.resume()
        }
        throw CancellationError()
    }

    /// - Returns: What comes on top, where the handshake is complete.
    private func take(_ step: Step) async throws -> ConnectionLayer? {
        switch step {
        case .presented(let certificates, let promise):
            try await decisions.decideTrust(chain(certificates), record: record)
            promise.succeed(.certificateVerified(VerificationMetadata(nil)))
        case .identityRequested(let promise):
            pipeline.readAcceptableIssuers()
            let request = CertificateRequest(record.facts.acceptableIssuers)
            record.note { $0.certificateRequest = request }
            promise.succeed(try await override(with: decisions.chooseIdentity(for: request, record: record)))
        case .completed(let layer):
            try await decisions.remember(record)
            return layer
        case .failed(let error):
            throw error
        }
        return nil
    }

    private func chain(_ certificates: [NIOSSLCertificate]) throws -> PresentedChain {
        guard let reading = try decisions.core.chains.reading(of: certificates.map { try $0.toDERBytes() }) else {
            throw SessionError.malformedCertificate(peer)
        }
        record.note { ($0.chain, $0.channelBinding) = (reading.chain, reading.channelBinding) }
        return reading.chain
    }

    private func override(with identity: Identity?) throws -> NIOSSLContextConfigurationOverride {
        var override = NIOSSLContextConfigurationOverride()
        if let identity {
            override.certificateChain = try identity.nioSSLChain
            override.privateKey = try identity.nioSSLPrivateKey
        }
        return override
    }
}

extension TLSHandshake.Step {
    /// Settles what waits for an answer that will not come.
    func abandon(because error: any Error) {
        switch self {
        case .presented(_, let promise): promise.fail(error)
        case .identityRequested(let promise): promise.fail(error)
        case .completed, .failed: break
        }
    }
}
