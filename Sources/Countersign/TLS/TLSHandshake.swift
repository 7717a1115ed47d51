// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import Identities
import NIOCore
import NIOSSL
import SwiftASN1
import X509

/// Carries a channel through a TLS handshake and asks what the handshake asks: whether to trust, and which identity to present.
///
/// NIOSSL's callbacks run on the event loop; here they become steps of a stream, so that the answers are given in the
/// caller's own task, may take as long as a person needs, and end with that task.
struct TLSHandshake {
    enum Step: Sendable {
        case presented([NIOSSLCertificate], EventLoopPromise<NIOSSLVerificationResultWithMetadata>)
        case identityRequested(EventLoopPromise<NIOSSLContextConfigurationOverride>)
        case completed
        case failed(any Error)
    }

    let endpoint: Endpoint
    /// Whether the peer is an origin, and not a proxy.
    let isOrigins: Bool
    let record: ConnectionRecord
    let pipeline: TLSPipeline
    /// How long the server may be silent; while a question is answered nothing is counted.
    private let patience: Duration
    private let decisions: TLSDecisions
    private let steps: AsyncStream<Step>

    /// Prepares a handshake; an identity given in advance is presented without asking anybody, which is the only way to
    /// answer a renegotiation of TLS 1.2.
    init(
        endpoint: Endpoint, isOrigins: Bool, versions: Session.TLSVersions, applicationProtocols: [String],
        patience: Duration, identityInAdvance: Credential?, decisions: TLSDecisions
    ) throws {
        let (steps, continuation) = AsyncStream.makeStream(of: Step.self)
        self.endpoint = endpoint
        self.isOrigins = isOrigins
        self.patience = patience
        self.decisions = decisions
        self.steps = steps
        record = ConnectionRecord()
        pipeline = try TLSPipeline(
            host: endpoint.host, versions: versions, applicationProtocols: applicationProtocols,
            identityInAdvance: identityInAdvance, record: record,
            steps: continuation)
    }

    /// Runs the handshake on a channel that has the pipeline's handlers; where it fails, the channel is closed.
    func perform(on channel: any Channel) async throws {
        do {
            try await follow(on: channel.eventLoop)
        } catch {
            channel.close(promise: nil)
            pipeline.steps.finish()
            for await step in steps { step.abandon(because: error) }
            try Task.checkCancellation()
            throw ChannelFailure(endpoint: endpoint, record: record).classify(error, .handshake)
        }
    }

    private func follow(on loop: any EventLoop) async throws {
        let continuation = pipeline.steps
        let timeout = Step.failed(SessionError.timedOut(endpoint, .handshake))
        var timer = loop.scheduleTask(in: TimeAmount(patience)) { continuation.yield(orAbandon: timeout) }
        defer { timer.cancel() }
        for await step in steps {
            timer.cancel()
            do {
                if try await take(step) { return }
            } catch {
                step.abandon(because: error)
                throw error
            }
            timer = loop.scheduleTask(in: TimeAmount(patience)) { continuation.yield(orAbandon: timeout) }
        }
        throw CancellationError()
    }

    /// Says whether the handshake is complete.
    private func take(_ step: Step) async throws -> Bool {
        switch step {
        case .presented(let certificates, let promise):
            try await decisions.decideTrust(chain(certificates), record: record)
            promise.succeed(.certificateVerified(VerificationMetadata(nil)))
        case .identityRequested(let promise):
            let request = CertificateRequest(record.facts.acceptableIssuers)
            record.note { $0.certificateRequest = request }
            promise.succeed(try await override(with: decisions.chooseIdentity(for: request, record: record)))
        case .completed:
            try await decisions.remember(record)
            return true
        case .failed(let error):
            throw error
        }
        return false
    }

    private func chain(_ certificates: [NIOSSLCertificate]) throws -> PresentedChain {
        let parsed = certificates.map { try? Certificate(derEncoded: $0.toDERBytes()) }
        // Of the others, one that cannot be read is none that a path needs.
        guard parsed.first.flatMap(\.self) != nil, let chain = PresentedChain(parsed.compactMap(\.self)) else {
            throw SessionError.malformedCertificate(endpoint)
        }
        record.note { $0.chain = chain }
        return chain
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
