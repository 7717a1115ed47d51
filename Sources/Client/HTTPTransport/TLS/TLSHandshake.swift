// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
package import Identities
import NIOCore
package import TLSTransport

/// A TLS handshake on a channel, whose delegate decides on trust and selects the identity to present.
///
/// The questions of ``TLSTransport/TLSClientHandler`` arrive on the event loop. They become steps of a stream here, so
/// that the delegate answers in the task that opens the connection, may take as long as a user needs, and ends with
/// that task.
struct TLSHandshake: Sendable {
    enum Step: Sendable {
        case presented(TLSServerCredentials, EventLoopPromise<Void>)
        case identityRequested(TLSIdentityRequest, EventLoopPromise<TLSIdentity?>)
        /// The handlers above TLS are on the channel.
        case completed
        case failed(any Error)
    }

    /// The sessions of the handshake's server.
    struct Sessions: Sendable {
        let store: TLSSessionStore
        let server: TLSSessionStore.Server

        fileprivate func removeAll() { store.removeAll(of: server) }
    }

    let peer: ConnectionPeer
    let record: PeerRecord
    fileprivate let timer: HandshakeTimer
    fileprivate let delegate: any HandshakeDelegate
    fileprivate let sessions: Sessions?
    /// Adds the handlers above TLS, which depend on the result of the handshake.
    fileprivate let above: @Sendable (any Channel) throws -> Void
    fileprivate let settings: TLSClientSettings
    private let steps: AsyncStream<Step>
    private let continuation: AsyncStream<Step>.Continuation

    /// Prepares a handshake.
    ///
    /// - Parameters:
    ///   - peer: The server of the handshake.
    ///   - requirements: The requirements for the server.
    ///   - library: The TLS library.
    ///   - httpVersions: The offered HTTP versions.
    ///   - isHTTP: Whether the protocol above TLS is HTTP; for another one, no version is offered.
    ///   - timeout: The timeout for each silence of the server.
    ///   - sessions: The sessions to resume, to which those of the connection are added; `nil` for none.
    ///   - record: The record that receives the facts of the connection.
    ///   - delegate: The delegate of the handshake.
    ///   - above: Adds the handlers above TLS when the handshake is complete; called on the channel's event loop.
    init(
        with peer: ConnectionPeer, _ requirements: TLSRequirements, by library: TLSLibrary,
        httpVersions: HTTPVersions, isHTTP: Bool, timeout: Duration,
        sessions: Sessions?, record: PeerRecord, delegate: any HandshakeDelegate,
        above: @escaping @Sendable (any Channel) throws -> Void
    ) {
        let (steps, continuation) = AsyncStream.makeStream(of: Step.self)
        (self.peer, self.record, self.delegate, self.above) = (peer, record, delegate, above)
        (self.steps, self.continuation) = (steps, continuation)
        self.sessions = delegate.allowsResumption ? sessions : nil
        var settings = requirements.settings(for: peer, httpVersions, by: library)
        if !isHTTP { settings.applicationProtocols = [] }
        record.note { [settings] in ($0.offeredVersions, $0.tlsSettings) = (httpVersions, settings) }
        self.settings = settings
        timer = HandshakeTimer(timeout) {
            continuation.yield(
                orAbandon: .failed(TransportError.timedOut(peer, .handshake, Timeout(timeout, .handshake))))
        }
    }

    /// Adds the handler of one attempted address; call it on the channel's event loop.
    ///
    /// - Throws: ``TransportError/handshakeFailed(_:_:alternative:)`` if the TLS library cannot use the settings, and
    ///   ``TransportError/libraryUnavailable(_:_:version:)``.
    func addHandler(to channel: any Channel) throws {
        let engine: TLSEngine
        do {
            engine = try TLSEngine(settings)
        } catch {
            throw failure.classify(error, .handshake)
        }
        try channel.pipeline.syncOperations.addHandler(TLSClientHandler(engine, delegate: HandshakeRelay(self)))
    }

    private var failure: ChannelFailure { ChannelFailure(peer: peer, record: record) }

    /// Performs the handshake on a channel that has the handler; if it fails, the channel is closed.
    ///
    /// Afterwards the handlers above TLS are on the channel.
    func perform(on channel: any Channel) async throws {
        do {
            try await follow()
        } catch {
            channel.close(promise: nil)
            delegate.handshakeAdvanced()
            continuation.finish()
            for await step in steps { step.abandon(because: error) }
            try Task.checkCancellation()
            let reason = (error as? TLSRefusal)?.reason ?? error
            if reason is ReconnectRequired { sessions?.removeAll() }
            throw failure.classify(reason, .handshake)
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
        case .presented(let credentials, let promise):
            try await delegate.evaluateTrust(credentials)
            promise.succeed()
        case .identityRequested(let request, let promise):
            record.note { $0.identityRequest = request }
            let identity = try await delegate.identity(for: request)
            record.note { ($0.hasIdentity, $0.identity) = (identity != nil, identity) }
            promise.succeed(try identity.map { try TLSIdentity($0) })
        case .completed:
            try await delegate.handshakeCompleted()
            return true
        case .failed(let error):
            throw error
        }
        return false
    }

    fileprivate func yield(_ step: Step) { continuation.yield(orAbandon: step) }
}

extension TLSHandshake.Step {
    /// Fails the promise of a step that will not be answered.
    fileprivate func abandon(because error: any Error) {
        switch self {
        case .presented(_, let promise): promise.fail(error)
        case .identityRequested(_, let promise): promise.fail(error)
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

/// The owner of one channel's handler, which makes steps of its questions.
///
/// After the handshake, the exchange that is running answers them, and the handshake's delegate is released.
private final class HandshakeRelay: TLSClientDelegate {
    private let peer: ConnectionPeer
    private let record: PeerRecord
    /// The handshake until it has ended; `nil` also if another address has answered first.
    private var handshake: TLSHandshake?
    private weak var pipeline: ChannelPipeline?
    private let sessions: TLSHandshake.Sessions?
    /// The session that the handshake offers.
    private var offered: TLSSessionStore.Entry?
    /// The sessions that arrived before the end of the handshake.
    private var earlySessions: [TLSSession] = []

    init(_ handshake: TLSHandshake) {
        (peer, record, self.handshake) = (handshake.peer, handshake.record, handshake)
        sessions = handshake.sessions
    }

    func handshakeStarted(on channel: any Channel) -> TLSSession? {
        guard let handshake, handshake.timer.start(on: channel.eventLoop) else {
            handshake = nil
            return nil
        }
        pipeline = channel.pipeline
        record.note { $0.peerAddress = channel.remoteAddress }
        offered = sessions.flatMap { sessions in
            sessions.store.take(
                of: sessions.server, by: handshake.settings.library, presenting: handshake.delegate.knownIdentity())
        }
        return offered?.session
    }

    func verify(_ credentials: TLSServerCredentials, promise: EventLoopPromise<Void>) {
        guard let handshake else { return promise.fail(CancellationError()) }
        record.note { $0.tls = credentials.facts }
        if handshake.delegate.trustsImmediately(credentials) {
            promise.succeed()
        } else {
            handshake.yield(.presented(credentials, promise))
        }
    }

    func selectIdentity(for request: TLSIdentityRequest, promise: EventLoopPromise<TLSIdentity?>) {
        if let handshake { return handshake.yield(.identityRequested(request, promise)) }
        // Above the TLS of a tunnel's proxy is the HTTP of the origin.
        guard let handler = try? pipeline?.syncOperations.handler(type: HTTP1Handler.self), handler.peer == peer else {
            return promise.succeed(nil)
        }
        // Between two requests, no identity can be selected, and the connection must not become anonymous.
        guard handler.selectIdentity(for: request, promise) else { return promise.fail(CancellationError()) }
        // The answer decides whether the server serves the running request.
        record.note { ($0.identityRequest, $0.hasIdentity, $0.hasServed) = (request, false, false) }
        promise.futureResult.whenSuccess { [record] identity in record.note { $0.hasIdentity = identity != nil } }
    }

    func sessionReceived(_ session: TLSSession) {
        guard handshake == nil else { return earlySessions.append(session) }
        let facts = record.facts
        // Another time, the user may answer the server's request, or refuse the server.
        guard let sessions, facts.isTrusted, !facts.isAnonymous else { return }
        sessions.store.add(session, of: sessions.server, identity: facts.identity, request: facts.identityRequest)
    }

    func handshakeEnded(_ result: Result<TLSConnectionFacts, any Error>, on channel: any Channel) {
        guard let handshake else { return }
        self.handshake = nil
        handshake.timer.end()
        do {
            let facts = try result.get()
            record.note { ($0.tls, $0.isHandshakeComplete) = (facts, true) }
            if facts.isResumed, let offered {
                record.note { record in
                    (record.identity, record.hasIdentity) = (offered.identity, offered.identity != nil)
                    record.identityRequest = offered.request
                }
            }
            for session in earlySessions { sessionReceived(session) }
            (earlySessions, offered) = ([], nil)
            try handshake.above(channel)
            handshake.yield(.completed)
        } catch {
            // A server that cannot resume its session, or does not respond, may accept a full handshake.
            if offered != nil { sessions?.removeAll() }
            handshake.yield(.failed(offered == nil ? error : ReconnectRequired()))
        }
    }
}

/// The delegate of one TLS handshake.
///
/// If it throws a ``TLSTransport/TLSRefusal``, the server receives that alert, and the error is the refusal's reason.
package protocol HandshakeDelegate: AnyObject, Sendable {
    /// Whether a session may be resumed, with the certificates of an earlier handshake, and stored.
    var allowsResumption: Bool { get }

    /// Returns the identity that the delegate would present without asking, with which a session may be resumed; `nil`
    /// for none.
    ///
    /// The transport calls this on the event loop.
    func knownIdentity() -> PresentedIdentity?

    /// Decides on a server at once, if that needs no handler and no I/O.
    ///
    /// The transport calls this on the event loop.
    ///
    /// - Parameter credentials: The certificates of the server, with the evidence that it sent.
    /// - Returns: Whether the server is trusted; `false` leaves the decision to ``evaluateTrust(_:)``.
    func trustsImmediately(_ credentials: TLSServerCredentials) -> Bool

    /// Tells the delegate that the handshake continues; called in the task that opens the connection.
    func handshakeAdvanced()

    /// Decides on a server.
    ///
    /// - Parameter credentials: The certificates of the server, with the evidence that it sent.
    /// - Throws: An error that ends the handshake if the server is not trusted.
    func evaluateTrust(_ credentials: TLSServerCredentials) async throws

    /// Returns the identity to present; `nil` presents none.
    ///
    /// - Throws: An error that ends the handshake.
    func identity(for request: TLSIdentityRequest) async throws -> PresentedIdentity?

    /// Tells the delegate that the peer has proven possession of its key.
    ///
    /// - Throws: An error that closes the connection.
    func handshakeCompleted() async throws
}
