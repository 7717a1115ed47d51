// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Identities
import NIOConcurrencyHelpers
import NIOCore
import NIOSSL
import SwiftASN1
import X509

/// A context of NIOSSL, and the one connection whose handshake it serves.
///
/// The key log and the request for an identity are a context's and do not say of which connection they are. A context thus
/// has one handshake at a time, and the next only once that is complete: then its connection calls neither any more, because
/// it does not renegotiate.
final class TLSContext: Sendable {
    /// What contexts are alike in.
    struct Kind: Hashable, Sendable {
        let versions: TLSVersions
        let httpVersions: HTTPVersions
    }

    /// What the callbacks lead to.
    private struct Occupant: Sendable {
        let observation: FlightObservation
        let steps: AsyncStream<TLSHandshake.Step>.Continuation
        let firstAnswer = FirstAnswer()
        var handlers = 0
    }

    let kind: Kind
    /// Whether another connection may have it: an identity in advance is of one, and may renegotiate.
    let isReusable: Bool
    private let context: NIOSSLContext
    private let occupant: NIOLockedValueBox<Occupant?>

    init(_ kind: Kind, identityInAdvance identity: Identity? = nil) throws {
        let occupant = NIOLockedValueBox<Occupant?>(nil)
        var configuration = Self.configuration(kind)
        if let identity {
            configuration.certificateChain = try identity.nioSSLChain
            configuration.privateKey = try identity.nioSSLPrivateKey
            configuration.renegotiationSupport = .once
        } else {
            configuration.keyLogCallback = { line in
                occupant.withLockedValue { $0?.observation }?.receive(keyLogLine: line)
            }
            configuration.sslContextCallback = { _, promise in
                guard let occupant = occupant.withLockedValue({ $0 }) else { return promise.fail(CancellationError()) }
                occupant.firstAnswer.request(promise) { occupant.steps.yield(orAbandon: .identityRequested($0)) }
            }
        }
        context = try NIOSSLContext(configuration: configuration)
        isReusable = identity == nil
        (self.kind, self.occupant) = (kind, occupant)
    }

    private static func configuration(_ kind: Kind) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        // The chain is judged by the policy, host name included; NIOSSL only proves possession of the key.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([])
        configuration.minimumTLSVersion = kind.versions == .onlyTLS13 ? .tlsv13 : .tlsv12
        configuration.maximumTLSVersion = kind.versions == .onlyTLS12 ? .tlsv12 : .tlsv13
        configuration.applicationProtocols = kind.httpVersions.applicationProtocols
        return configuration
    }

    /// Lets the callbacks lead to a connection.
    func admit(_ observation: FlightObservation, steps: AsyncStream<TLSHandshake.Step>.Continuation) {
        occupant.withLockedValue { $0 = Occupant(observation: observation, steps: steps) }
    }

    /// Makes a handler for the connection; one more for each further address that is tried.
    func handler(
        serverName: String?, verify: @escaping NIOSSLCustomVerificationCallbackWithMetadata
    ) throws -> NIOSSLClientHandler {
        occupant.withLockedValue { $0?.handlers += 1 }
        return try NIOSSLClientHandler(
            context: context, serverHostname: serverName, customVerificationCallbackWithMetadata: verify)
    }

    /// Called when the connection's handshake is complete.
    ///
    /// - Returns: Whether no connection uses the context any more; a socket of an address that lost the race may still call it.
    func dismiss(_ observation: FlightObservation) -> Bool {
        occupant.withLockedValue { occupant in
            guard let leaving = occupant, leaving.observation === observation else { return false }
            occupant = nil
            return leaving.handlers == 1
        }
    }
}

/// A session's contexts that have no handshake at the moment: making one is no small part of a handshake.
final class TLSContextCache: Sendable {
    /// As many handshakes at once find one made.
    private static let limit = 32

    private let free = NIOLockedValueBox<[TLSContext]>([])

    /// The context that was put back last, or a new one.
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

/// Asks a question once, however often it is put: NIOSSL repeats its request for an identity with every read that
/// arrives while the first is pending.
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

extension Identity {
    // A chain given as `.file` would end the process, so it is always given as certificates.
    var nioSSLChain: [NIOSSLCertificateSource] {
        get throws {
            try chain.map { certificate in
                .certificate(try NIOSSLCertificate(bytes: certificate.serializeAsPEM().derBytes, format: .der))
            }
        }
    }

    var nioSSLPrivateKey: NIOSSLPrivateKeySource {
        get throws {
            .privateKey(try NIOSSLPrivateKey(bytes: privateKey.serializeAsPEM().derBytes, format: .der))
        }
    }
}
