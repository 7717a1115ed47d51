// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrustNIOSSL
import Identities
import NIOConcurrencyHelpers
import NIOCore
import NIOSSL

/// A NIOSSL context and the connection whose handshake currently uses it.
///
/// The callbacks for the key log and for the identity belong to the context and do not identify the connection. A
/// context therefore serves one handshake at a time, and the next one only after that is complete: from then on the
/// connection uses neither callback, because it does not renegotiate.
final class TLSContext: Sendable {
    /// The settings that contexts of one kind share.
    struct Kind: Hashable, Sendable {
        let versions: TLSVersions
        let httpVersions: HTTPVersions
    }

    /// The targets of the callbacks during one handshake.
    private struct CurrentHandshake: Sendable {
        let observation: FlightObservation
        let steps: AsyncStream<TLSHandshake.Step>.Continuation
        let firstAnswer = FirstAnswer()
        var handlers = 0
    }

    let kind: Kind
    /// Whether another connection may use the context: an identity that is set beforehand is only for one connection,
    /// which may renegotiate.
    let isReusable: Bool
    private let context: NIOSSLContext
    private let currentHandshake: NIOLockedValueBox<CurrentHandshake?>

    init(_ kind: Kind, preemptiveIdentity identity: Identity? = nil) throws {
        let currentHandshake = NIOLockedValueBox<CurrentHandshake?>(nil)
        var configuration = Self.configuration(kind)
        if let identity {
            (configuration.certificateChain, configuration.privateKey) = try identity.nioSSL()
            configuration.renegotiationSupport = .once
        } else {
            configuration.keyLogCallback = { line in
                currentHandshake.withLockedValue { $0?.observation }?.receive(keyLogLine: line)
            }
            configuration.sslContextCallback = { _, promise in
                guard let currentHandshake = currentHandshake.withLockedValue({ $0 }) else {
                    return promise.fail(CancellationError())
                }
                currentHandshake.firstAnswer.request(promise) {
                    currentHandshake.steps.yield(orAbandon: .identityRequested($0))
                }
            }
        }
        context = try NIOSSLContext(configuration: configuration)
        isReusable = identity == nil
        (self.kind, self.currentHandshake) = (kind, currentHandshake)
    }

    private static func configuration(_ kind: Kind) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        // The trust policy evaluates the chain, including the host name; NIOSSL only checks possession of the key.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([])
        configuration.minimumTLSVersion = kind.versions == .onlyTLS13 ? .tlsv13 : .tlsv12
        configuration.maximumTLSVersion = kind.versions == .onlyTLS12 ? .tlsv12 : .tlsv13
        configuration.applicationProtocols = kind.httpVersions.applicationProtocols
        return configuration
    }

    /// Directs the callbacks to a connection.
    func beginHandshake(_ observation: FlightObservation, steps: AsyncStream<TLSHandshake.Step>.Continuation) {
        currentHandshake.withLockedValue { $0 = CurrentHandshake(observation: observation, steps: steps) }
    }

    /// Creates a handler for the connection; each further attempted address needs another one.
    func handler(
        serverName: String?, verify: @escaping NIOSSLCustomVerificationCallbackWithMetadata
    ) throws -> NIOSSLClientHandler {
        currentHandshake.withLockedValue { $0?.handlers += 1 }
        return try NIOSSLClientHandler(
            context: context, serverHostname: serverName, customVerificationCallbackWithMetadata: verify)
    }

    /// Releases the context when the connection's handshake is complete.
    ///
    /// - Returns: Whether no connection uses the context any more; with several attempted addresses, another socket may
    ///   still call it.
    func endHandshake(_ observation: FlightObservation) -> Bool {
        currentHandshake.withLockedValue { currentHandshake in
            guard let leaving = currentHandshake, leaving.observation === observation else { return false }
            currentHandshake = nil
            return leaving.handlers == 1
        }
    }
}

/// A session's contexts without a running handshake; creating a context is a significant part of a handshake's cost.
final class TLSContextCache: Sendable {
    /// The maximum number of stored contexts.
    private static let limit = 32

    private let free = NIOLockedValueBox<[TLSContext]>([])

    /// Returns the context that was stored last, or a new one.
    func take(_ kind: TLSContext.Kind) throws -> TLSContext {
        let known = free.withLockedValue { free in
            free.lastIndex { $0.kind == kind }.map { free.remove(at: $0) }
        }
        return try known ?? TLSContext(kind)
    }

    func put(_ context: TLSContext) {
        guard context.isReusable else { return }
        free.withLockedValue { free in
            if free.count >= Self.limit { free.removeFirst() }
            free.append(context)
        }
    }
}

/// A filter that forwards a request only once: NIOSSL repeats its request for an identity with every read that arrives
/// while the first request is pending.
private final class FirstAnswer: Sendable {
    private let pending = NIOLockedValueBox<EventLoopFuture<NIOSSLContextConfigurationOverride>?>(nil)

    func request(
        _ promise: EventLoopPromise<NIOSSLContextConfigurationOverride>,
        ask: (EventLoopPromise<NIOSSLContextConfigurationOverride>) -> Void
    ) {
        let earlier = pending.withLockedValue { pending in
            defer { pending = pending ?? promise.futureResult }
            return pending
        }
        if let earlier {
            earlier.cascade(to: promise)
        } else {
            ask(promise)
        }
    }
}
