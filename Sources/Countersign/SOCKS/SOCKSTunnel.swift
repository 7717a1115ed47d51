// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import NIOCore

/// Asks a SOCKS proxy for a connection to a destination, and the handlers for the user and the password.
struct SOCKSTunnel: Sendable {
    let proxy: Endpoint
    let destination: Endpoint
    /// How long the proxy may take for each message; the time that a handler takes is not counted.
    let patience: Duration
    let progress: AsyncThrowingStream<SOCKSHandler.Step, any Error>.Continuation
    private let steps: AsyncThrowingStream<SOCKSHandler.Step, any Error>

    init(proxy: Endpoint, destination: Endpoint, patience: Duration) {
        (self.proxy, self.destination, self.patience) = (proxy, destination, patience)
        (steps, progress) = AsyncThrowingStream.makeStream()
    }

    /// Call it on the channel's event loop.
    func addHandler(to channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(SOCKSHandler(self))
    }

    /// Opens the way and returns the credential that opened it; afterwards the connection's bytes are the destination's.
    ///
    /// Throws ``TunnelClosed`` where the answer needs another connection: no proxy hears a second one (RFC 1929 section 2).
    func open(over channel: any Channel, rounds: AuthenticationRounds) async throws -> Credential? {
        var credential: Credential?
        do {
            for try await step in steps {
                guard step == .loginRequested else {
                    if credential != nil { rounds.acceptLogin() }
                    return credential
                }
                credential = try await logIn(over: channel, rounds: rounds)
            }
        } catch SOCKSExchange.Failure.loginRejected {
            try await rounds.rejectLogin()
            throw TunnelClosed()
        } catch {
            // Cancelling the task may close the connection first.
            try Task.checkCancellation()
            throw error
        }
        throw CancellationError()
    }

    private func logIn(over channel: any Channel, rounds: AuthenticationRounds) async throws -> Credential {
        let isKnown = rounds.login != nil
        let credential = try await rounds.findLogin()
        guard case .password(let user, let password) = credential.kind else {
            throw SessionError.unanswerableChallenge(
                rounds.asker.socksSpace, .unsuitableCredential(.socksPassword))
        }
        // The proxy did not wait for as long as the answer took.
        guard isKnown || channel.isActive else { throw TunnelClosed() }
        do {
            try await channel.triggerUserOutboundEvent(SOCKSHandler.Login(user: user, password: password)).get()
        } catch let error as HTTPAuthenticatorError {
            throw SessionError.unanswerableChallenge(rounds.asker.socksSpace, error)
        } catch {
            throw SessionError.connectionLost(.proxy(proxy), .proxyTunnel)
        }
        return credential
    }

    /// Puts what speaks to the destination in this one's place, before anything can be missed.
    func giveWay(to layer: ConnectionLayer, on channel: any Channel) async throws {
        try await channel.eventLoop.flatSubmit {
            let pipeline = channel.pipeline.syncOperations
            do {
                // The next handler would wait for an end that it cannot see any more.
                guard channel.isActive else { throw SessionError.connectionLost(.proxy(proxy), .proxyTunnel) }
                let own = try pipeline.handler(type: SOCKSHandler.self)
                try layer.add(to: channel)
                return pipeline.removeHandler(own)
            } catch {
                return channel.eventLoop.makeFailedFuture(error)
            }
        }.get()
    }
}
