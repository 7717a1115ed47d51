// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import NIOConcurrencyHelpers
import NIOCore
import NIOSSL
import TLSTransport

/// The TLS of a benchmark's connections, which trusts every server.
struct ClientTLS: Sendable {
    enum Kind: String, ExpressibleByArgument, Sendable {
        case own, resuming, niossl, none
    }

    private static let serverName = "localhost"
    private let kind: Kind
    private let context: NIOSSLContext?
    private let sessions = NIOLockedValueBox<[TLSSession]>([])

    init(_ kind: Kind) throws {
        self.kind = kind
        var configuration = TLSConfiguration.makeClientConfiguration()
        // The callback decides about the server, as it did before TLSTransport.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([])
        configuration.applicationProtocols = ["http/1.1"]
        context = kind == .niossl ? try NIOSSLContext(configuration: configuration) : nil
    }

    /// Adds TLS to a channel that is not active.
    func add(to channel: any Channel) throws {
        let operations = channel.pipeline.syncOperations
        if let context {
            let handler = try NIOSSLClientHandler(
                context: context, serverHostname: Self.serverName,
                customVerificationCallback: { _, promise in promise.succeed(.certificateVerified) })
            try operations.addHandler(handler)
        } else if kind != .none {
            let engine = try TLSEngine(
                TLSClientSettings(serverName: Self.serverName, applicationProtocols: ["http/1.1"]))
            let delegate = TrustingDelegate(sessions: kind == .resuming ? sessions : nil)
            try operations.addHandler(TLSClientHandler(engine, delegate: delegate))
        }
    }
}

/// A delegate that trusts every server, and has no identity.
private final class TrustingDelegate: TLSClientDelegate {
    /// The sessions of all connections; `nil` if none are resumed.
    private let sessions: NIOLockedValueBox<[TLSSession]>?

    init(sessions: NIOLockedValueBox<[TLSSession]>?) { self.sessions = sessions }

    func handshakeStarted(on channel: any Channel) -> TLSSession? {
        sessions?.withLockedValue { sessions in
            sessions.last?.isSingleUse == false ? sessions.last : sessions.popLast()
        }
    }

    func verify(_ credentials: TLSServerCredentials, promise: EventLoopPromise<Void>) { promise.succeed() }

    func selectIdentity(for request: TLSIdentityRequest, promise: EventLoopPromise<TLSIdentity?>) {
        promise.succeed(nil)
    }

    func sessionReceived(_ session: TLSSession) {
        // A server yields two sessions for each connection, of which one is used.
        sessions?.withLockedValue { sessions in
            if sessions.count < 4 { sessions.append(session) }
        }
    }

    func handshakeEnded(_ result: Result<TLSConnectionFacts, any Error>, on channel: any Channel) {
        if case .failure(let error) = result { channel.pipeline.fireErrorCaught(error) }
    }
}
