// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// Asks a SOCKS proxy for a connection to a destination, and the handlers for the user and the password.
struct SOCKSTunnel: Sendable {
    let proxy: Endpoint
    let destination: Endpoint
    /// How long the proxy may take for each message; the time that a handler takes is not counted.
    let timeout: Duration
    let progress: AsyncThrowingStream<SOCKSHandler.Step, any Error>.Continuation
    private let steps: AsyncThrowingStream<SOCKSHandler.Step, any Error>

    init(proxy: Endpoint, destination: Endpoint, timeout: Duration) {
        (self.proxy, self.destination, self.timeout) = (proxy, destination, timeout)
        (steps, progress) = AsyncThrowingStream.makeStream()
    }

    /// Call it on the channel's event loop.
    func addHandler(to channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(SOCKSHandler(self))
    }

    /// Opens the way; afterwards the connection's bytes are the destination's.
    ///
    /// Throws ``ReconnectRequired`` where the answer needs another connection: no proxy reads a second login (RFC 1929 section 2).
    func open(over channel: any Channel, delegate: any ConnectionDelegate) async throws {
        var hasLoggedIn = false
        do {
            for try await step in steps {
                guard step == .loginRequested else {
                    if hasLoggedIn { delegate.socksLoginAccepted() }
                    return
                }
                try await logIn(over: channel, delegate: delegate)
                hasLoggedIn = true
            }
        } catch SOCKSExchange.Failure.loginRejected {
            try await delegate.socksLoginRejected()
            throw ReconnectRequired()
        } catch {
            // Cancelling the task may close the connection first.
            try Task.checkCancellation()
            throw error
        }
        throw CancellationError()
    }

    private func logIn(over channel: any Channel, delegate: any ConnectionDelegate) async throws {
        let (login, wasKnown) = try await delegate.socksLogin()
        // The proxy may close the connection while a person is asked.
        guard wasKnown || channel.isActive else { throw ReconnectRequired() }
        do {
            try await channel.triggerUserOutboundEvent(login).get()
        } catch let flaw as SOCKSLoginFlaw {
            throw TransportError.unsuitableSOCKSLogin(proxy, flaw)
        } catch {
            throw TransportError.connectionLost(.proxy(proxy), .proxyTunnel)
        }
    }

    /// Puts what speaks to the destination in this one's place, before anything can be missed.
    func giveWay(to layer: ConnectionLayer, on channel: any Channel) async throws {
        do {
            try await layer.replace(SOCKSHandler.self, on: channel)
        } catch is ChannelError {
            throw TransportError.connectionLost(.proxy(proxy), .proxyTunnel)
        }
    }
}
