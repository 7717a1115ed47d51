// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// Finds out whether the server of a quiet connection is still there (PING, RFC 9113 section 6.7): it may have lost power, or a
/// router may have forgotten the connection; of its event loop alone.
///
/// A request over a connection that has been quiet sends a PING. Anything that arrives then is an acknowledgement. Where nothing arrives, the
/// connection is closed, and requests that may be sent again go over another; those that may not wait for the acknowledgement first.
/// While the peer takes parts of a body the connection is not given up: the PING stands in line behind them, and on a slow uplink
/// that line is longer than the timeout.
final class HTTP2Probe {
    /// How long a connection may be quiet without doubt: a question costs 17 bytes, so not every request brings one.
    private static let quiet = TimeAmount.seconds(1)

    /// Two losses in a row, which TCP repairs after one second and two more (RFC 6298 section 2), are no death.
    private static let timeout = TimeAmount.seconds(5)

    /// The timeout while exchanges are in flight, which are lost with the connection.
    ///
    /// A server may pause for longer than five seconds, to collect garbage for example. Go's HTTP/2 client waits as long.
    private static let busyTimeout = TimeAmount.seconds(15)

    private struct Question {
        let acknowledgement: EventLoopPromise<Void>
        let timeout: TimeAmount
        var timer: Scheduled<Void>
    }

    private var lastHeard = NIODeadline.now()
    private var question: Question?
    /// Whether a part of a body has left since the timer was set.
    private var hasDeparture = false

    /// Something has arrived.
    func noteHeard() {
        lastHeard = .now()
        guard let question = takeQuestion() else { return }
        question.acknowledgement.succeed()
    }

    /// A part of a request's body has left for the peer.
    func noteDeparture() { hasDeparture = true }

    /// Asks where the connection has been quiet and no question is open.
    ///
    /// - Parameters:
    ///   - channel: The connection, which is closed where nothing arrives.
    ///   - isBusy: Whether exchanges are in flight.
    ///   - sendPing: Sends the PING.
    /// - Returns: The acknowledgement that is awaited; `nil` where there is no doubt.
    func ask(over channel: any Channel, isBusy: Bool, sendPing: () -> Void) -> EventLoopFuture<Void>? {
        if let question { return question.acknowledgement.futureResult }
        guard lastHeard + Self.quiet < .now() else { return nil }
        let timeout = isBusy ? Self.busyTimeout : Self.timeout
        let acknowledgement = channel.eventLoop.makePromise(of: Void.self)
        question = Question(acknowledgement: acknowledgement, timeout: timeout, timer: timer(timeout, for: channel))
        hasDeparture = false
        sendPing()
        return acknowledgement.futureResult
    }

    private func timer(_ timeout: TimeAmount, for channel: any Channel) -> Scheduled<Void> {
        channel.eventLoop.assumeIsolated().scheduleTask(in: timeout) {
            // The loop may itself have been busy for so long: an acknowledgement that waits in the socket is heard first.
            channel.afterReading { self.expire(channel) }
        }
    }

    private func expire(_ channel: any Channel) {
        guard let question else { return }
        guard hasDeparture else { return channel.hangUp() }
        hasDeparture = false
        self.question?.timer = timer(question.timeout, for: channel)
    }

    /// Fails the question that is open, because the connection is closed.
    func end() { takeQuestion()?.acknowledgement.fail(ChannelError.eof) }

    private func takeQuestion() -> Question? {
        defer { question = nil }
        question?.timer.cancel()
        return question
    }
}
