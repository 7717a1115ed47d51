// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import Identities
import NIOCore
import NIOSSL
import NIOTLS
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
    let versions: Session.TLSVersions
    /// How long the server may be silent; while a question is answered nothing is counted.
    let patience: Duration
    /// Presented without being asked for within the handshake: the only way to answer a renegotiation of TLS 1.2.
    let identityInAdvance: Credential?
    /// Decides on a chain: returns when it is accepted, throws when it is not.
    let decideTrust: (PresentedChain, ConnectionRecord) async throws -> Void
    /// The identity to present, or none.
    let chooseIdentity: (ConnectionRecord) async throws -> Identity?

    private let record = ConnectionRecord()

    init(
        endpoint: Endpoint, versions: Session.TLSVersions, patience: Duration, identityInAdvance: Credential?,
        decideTrust: @escaping (PresentedChain, ConnectionRecord) async throws -> Void,
        chooseIdentity: @escaping (ConnectionRecord) async throws -> Identity?
    ) {
        self.endpoint = endpoint
        self.versions = versions
        self.patience = patience
        self.identityInAdvance = identityInAdvance
        self.decideTrust = decideTrust
        self.chooseIdentity = chooseIdentity
    }

    /// Runs the handshake.
    ///
    /// - Returns: What became known of the connection.
    /// - Throws: ``SessionError`` and what the decisions throw; the channel is closed then.
    func perform(on channel: any Channel) async throws -> ConnectionRecord {
        let (steps, continuation) = AsyncStream.makeStream(of: Step.self)
        do {
            try await install(on: channel, continuation)
            try await follow(steps, on: channel.eventLoop, continuation)
            return record
        } catch {
            channel.close(promise: nil)
            continuation.finish()
            for await step in steps { step.abandon(because: error) }
            try Task.checkCancellation()
            throw ChannelFailure(endpoint: endpoint, record: record).classify(error, .handshake)
        }
    }

    private func install(on channel: any Channel, _ continuation: AsyncStream<Step>.Continuation) async throws {
        let context = try NIOSSLContext(configuration: configuration(continuation))
        let name = endpoint.host.isAddress ? nil : endpoint.host.description
        let record = record
        try await channel.eventLoop.submit {
            let handler = try NIOSSLClientHandler(context: context, serverHostname: name) { chain, promise in
                continuation.yield(orAbandon: .presented(chain, promise))
            }
            try channel.pipeline.syncOperations.addHandlers(
                ServerHelloObserver(record: record), handler,
                TLSHandshakeMonitor(of: handler, record: record) { continuation.yield(orAbandon: $0) }
            )
        }.get()
        try await channel.setOption(.autoRead, value: true).get()
    }

    private func configuration(_ continuation: AsyncStream<Step>.Continuation) throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        // The chain is judged by the policy, host name included; NIOSSL only proves possession of the key.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([])
        configuration.applicationProtocols = ["http/1.1"]
        configuration.minimumTLSVersion = versions == .onlyTLS13 ? .tlsv13 : .tlsv12
        configuration.maximumTLSVersion = versions == .onlyTLS12 ? .tlsv12 : .tlsv13
        if case .identity(let identity) = identityInAdvance?.kind {
            record.note { ($0.identity, $0.identityWasRequested) = (identityInAdvance, true) }
            configuration.certificateChain = try identity.nioSSLChain
            configuration.privateKey = try identity.nioSSLPrivateKey
            configuration.renegotiationSupport = .once
        } else {
            let first = FirstAnswer()
            configuration.sslContextCallback = { _, promise in
                first.request(promise) { continuation.yield(orAbandon: .identityRequested($0)) }
            }
        }
        return configuration
    }

    private func follow(
        _ steps: AsyncStream<Step>, on loop: any EventLoop, _ continuation: AsyncStream<Step>.Continuation
    ) async throws {
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

    /// - Returns: Whether the handshake is complete.
    private func take(_ step: Step) async throws -> Bool {
        switch step {
        case .presented(let certificates, let promise):
            try await decideTrust(chain(certificates), record)
            promise.succeed(.certificateVerified(VerificationMetadata(nil)))
        case .identityRequested(let promise):
            record.note { $0.identityWasRequested = true }
            promise.succeed(try await override(with: chooseIdentity(record)))
        case .completed:
            return true
        case .failed(let error):
            throw error
        }
        return false
    }

    private func chain(_ certificates: [NIOSSLCertificate]) throws -> PresentedChain {
        guard let parsed = try? certificates.map({ try Certificate(derEncoded: $0.toDERBytes()) }),
            let chain = PresentedChain(parsed)
        else { throw SessionError.malformedCertificate(endpoint) }
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
    fileprivate func abandon(because error: any Error) {
        switch self {
        case .presented(_, let promise): promise.fail(error)
        case .identityRequested(let promise): promise.fail(error)
        case .completed, .failed: break
        }
    }
}

extension AsyncStream<TLSHandshake.Step>.Continuation {
    fileprivate func yield(orAbandon step: TLSHandshake.Step) {
        if case .enqueued = yield(step) { return }
        step.abandon(because: CancellationError())
    }
}

extension Identity {
    // A chain given as `.file` would end the process, so it is always given as certificates.
    fileprivate var nioSSLChain: [NIOSSLCertificateSource] {
        get throws {
            try chain.map { certificate in
                .certificate(try NIOSSLCertificate(bytes: certificate.serializeAsPEM().derBytes, format: .der))
            }
        }
    }

    fileprivate var nioSSLPrivateKey: NIOSSLPrivateKeySource {
        get throws {
            .privateKey(try NIOSSLPrivateKey(bytes: privateKey.serializeAsPEM().derBytes, format: .der))
        }
    }
}
