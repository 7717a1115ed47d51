// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrustNIOSSL
package import Identities
import NIOCore
import NIOSSL

/// A TLS handshake on a channel, whose delegate decides on trust and selects the identity to present.
///
/// NIOSSL's callbacks run on the event loop. They become steps of a stream here, so that the delegate answers in the
/// task that opens the connection, may take as long as a user needs, and ends with that task.
struct TLSHandshake: Sendable {
    enum Step: Sendable {
        case presented([NIOSSLCertificate], EventLoopPromise<NIOSSLVerificationResultWithMetadata>)
        case identityRequested(EventLoopPromise<NIOSSLContextConfigurationOverride>)
        /// The handlers above TLS are on the channel.
        case completed
        case failed(any Error)
    }

    let peer: ConnectionPeer
    let record: PeerRecord
    let pipeline: TLSPipeline
    private let timer: HandshakeTimer
    private let delegate: any HandshakeDelegate
    private let steps: AsyncStream<Step>

    /// Prepares a handshake.
    ///
    /// - Parameters:
    ///   - peer: The server of the handshake.
    ///   - kind: The offered versions.
    ///   - timeout: The timeout for each silence of the server.
    ///   - contexts: The cache of unused contexts.
    ///   - preemptiveIdentity: The identity to present without asking the delegate, which is the only way to answer a
    ///     TLS 1.2 renegotiation.
    ///   - record: The record that receives the facts of the connection.
    ///   - delegate: The delegate of the handshake.
    ///   - above: Adds the handlers above TLS when the handshake is complete; called on the channel's event loop.
    /// - Throws: An error of NIOSSL if it rejects the identity.
    init(
        with peer: ConnectionPeer, kind: TLSContext.Kind, timeout: Duration, contexts: TLSContextCache,
        preemptiveIdentity: Identity?,
        record: PeerRecord, delegate: any HandshakeDelegate,
        above: @escaping @Sendable (any Channel) throws -> Void
    ) throws {
        let (steps, continuation) = AsyncStream.makeStream(of: Step.self)
        (self.peer, self.record, self.delegate, self.steps) = (peer, record, delegate, steps)
        record.note { $0.offeredVersions = kind.httpVersions }
        timer = HandshakeTimer(timeout) {
            continuation.yield(
                orAbandon: .failed(TransportError.timedOut(peer, .handshake, Timeout(timeout, .handshake))))
        }
        // NIOSSL retains the closure as long as the connection, which must not retain the delegate.
        let trusts: @Sendable ([NIOSSLCertificate]) -> Bool = { [weak delegate] certificates in
            guard let delegate, let encoded = try? certificates.map({ try $0.toDERBytes() }) else { return false }
            return delegate.trustsImmediately(encoded)
        }
        pipeline = try TLSPipeline(
            host: peer.host, kind: kind, preemptiveIdentity: preemptiveIdentity, record: record, steps: continuation,
            timer: timer, contexts: contexts, trustsImmediately: trusts, above: above)
    }

    /// Performs the handshake on a channel that has the pipeline's handlers; if it fails, the channel is closed.
    ///
    /// Afterwards the handlers above TLS are on the channel.
    func perform(on channel: any Channel) async throws {
        record.note { $0.peerAddress = channel.remoteAddress }
        do {
            try await follow()
        } catch {
            channel.close(promise: nil)
            delegate.handshakeAdvanced()
            pipeline.steps.finish()
            for await step in steps { step.abandon(because: error) }
            try Task.checkCancellation()
            throw ChannelFailure(peer: peer, record: record).classify(error, .handshake)
        }
    }

    private func follow() async throws {
        for await step in steps {
            timer.pause()
            delegate.handshakeAdvanced()
            do {
                if try await take(step) { return }
            } catch {
                step.abandon(because: error)
                throw error
            }
            timer.resume()
        }
        throw CancellationError()
    }

    /// Processes a step.
    ///
    /// - Returns: Whether the handshake is complete.
    private func take(_ step: Step) async throws -> Bool {
        switch step {
        case .presented(let certificates, let promise):
            try await delegate.evaluateTrust(certificates.map { try $0.toDERBytes() })
            promise.succeed(.certificateVerified(VerificationMetadata(nil)))
        case .identityRequested(let promise):
            pipeline.readAcceptableIssuers()
            let request = IdentityRequest(issuers: record.facts.acceptableIssuers)
            record.note { $0.identityRequest = request }
            let identity = try await delegate.identity(for: request)
            record.note { $0.hasIdentity = identity != nil }
            promise.succeed(try override(with: identity))
        case .completed:
            try await delegate.handshakeCompleted()
            return true
        case .failed(let error):
            throw error
        }
        return false
    }

    private func override(with identity: Identity?) throws -> NIOSSLContextConfigurationOverride {
        var override = NIOSSLContextConfigurationOverride()
        if let identity {
            (override.certificateChain, override.privateKey) = try identity.nioSSL()
        }
        return override
    }
}

extension TLSHandshake.Step {
    /// Fails the promise of a step that will not be answered.
    func abandon(because error: any Error) {
        switch self {
        case .presented(_, let promise): promise.fail(error)
        case .identityRequested(let promise): promise.fail(error)
        case .completed, .failed: break
        }
    }
}

/// The delegate of one TLS handshake.
package protocol HandshakeDelegate: AnyObject, Sendable {
    /// Decides on a chain at once, if that needs no handler and no I/O.
    ///
    /// The transport calls this on the event loop.
    ///
    /// - Parameter certificates: The certificates in DER, leaf first.
    /// - Returns: Whether the chain is trusted; `false` leaves the decision to ``evaluateTrust(_:)``.
    func trustsImmediately(_ certificates: [[UInt8]]) -> Bool

    /// Tells the delegate that the handshake continues; called in the task that opens the connection.
    func handshakeAdvanced()

    /// Decides on a chain.
    ///
    /// - Parameter certificates: The certificates in DER, leaf first.
    /// - Throws: An error that ends the handshake if the chain is not trusted.
    func evaluateTrust(_ certificates: [[UInt8]]) async throws

    /// Returns the identity to present; `nil` presents none.
    ///
    /// - Throws: An error that ends the handshake.
    func identity(for request: IdentityRequest) async throws -> Identity?

    /// Tells the delegate that the peer has proven possession of its key.
    ///
    /// - Throws: An error that closes the connection.
    func handshakeCompleted() async throws
}
