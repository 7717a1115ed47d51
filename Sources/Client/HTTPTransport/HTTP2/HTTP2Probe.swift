// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// A liveness check for a connection without recent input (PING, RFC 9113 section 6.7): the server may have lost power,
/// or a router may have dropped the connection's state; used on its event loop.
///
/// A request on such a connection sends a PING. Any input counts as its acknowledgement. If nothing arrives, the
/// connection is closed, and retryable requests use another connection; requests that must not be retried wait for the
/// acknowledgement before they are sent. The connection stays open while the peer takes parts of a body: the PING is
/// queued behind them, and on a slow uplink that takes longer than the timeout.
final class HTTP2Probe {
    /// The time without input after which a request sends a PING; a PING costs 17 bytes,
    /// so not every request sends one.
    private static let quietInterval = TimeAmount.seconds(1)

    /// The timeout of a PING; TCP repairs two consecutive losses within three seconds (RFC 6298 section 2).
    private static let timeout = TimeAmount.seconds(5)

    /// The timeout while exchanges are running, which would be lost with the connection.
    ///
    /// A server may pause for longer than five seconds, for example for garbage collection. Go's HTTP/2 client uses the
    /// same timeout.
    private static let busyTimeout = TimeAmount.seconds(15)

    private struct PendingPing {
        let acknowledgement: EventLoopPromise<Void>
        let timeout: TimeAmount
        var timer: Scheduled<Void>
    }

    private var lastInput = NIODeadline.now()
    private var pendingPing: PendingPing?
    /// Whether a part of a body was written since the timer was set.
    private var hasWrittenBody = false

    /// Notes received input, which acknowledges a pending PING.
    func noteInput() {
        lastInput = .now()
        guard let pendingPing = takePendingPing() else { return }
        pendingPing.acknowledgement.succeed()
    }

    /// Notes that a part of a request's body was written.
    func noteWritten() { hasWrittenBody = true }

    /// Sends a PING if the connection had no recent input and no PING is pending.
    ///
    /// - Parameters:
    ///   - channel: The connection, which is closed if nothing arrives.
    ///   - isBusy: Whether exchanges are running.
    ///   - sendPing: Sends the PING.
    /// - Returns: The pending acknowledgement; `nil` if there was recent input.
    func ask(over channel: any Channel, isBusy: Bool, sendPing: () -> Void) -> EventLoopFuture<Void>? {
        if let pendingPing { return pendingPing.acknowledgement.futureResult }
        guard lastInput + Self.quietInterval < .now() else { return nil }
        let timeout = isBusy ? Self.busyTimeout : Self.timeout
        let acknowledgement = channel.eventLoop.makePromise(of: Void.self)
        pendingPing = PendingPing(
            acknowledgement: acknowledgement, timeout: timeout, timer: timer(timeout, for: channel))
        hasWrittenBody = false
        sendPing()
        return acknowledgement.futureResult
    }

    private func timer(_ timeout: TimeAmount, for channel: any Channel) -> Scheduled<Void> {
        channel.eventLoop.assumeIsolated().scheduleTask(in: timeout) {
            // The event loop may have been busy for the whole timeout: an acknowledgement in the socket is read first.
            channel.afterReading { self.expire(channel) }
        }
    }

    private func expire(_ channel: any Channel) {
        guard let pendingPing else { return }
        guard hasWrittenBody else { return channel.close(promise: nil) }
        hasWrittenBody = false
        self.pendingPing?.timer = timer(pendingPing.timeout, for: channel)
    }

    /// Fails the pending acknowledgement, because the connection is closed.
    func end() { takePendingPing()?.acknowledgement.fail(ChannelError.eof) }

    private func takePendingPing() -> PendingPing? {
        defer { pendingPing = nil }
        pendingPing?.timer.cancel()
        return pendingPing
    }
}
