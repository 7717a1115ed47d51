// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore

/// Finds out whether the server of a quiet connection is still there (PING, RFC 9113 section 6.7): it may have lost power, or a
/// router may have forgotten the connection.
///
/// A request over a connection that has been quiet sends a PING. Anything that arrives then is an acknowledgement. Where nothing arrives, the
/// connection is closed, and requests that may be sent again go over another; those that may not wait for the acknowledgement first.
/// While the peer takes parts of a body the connection is not given up: the PING stands in line behind them, and on a slow uplink
/// that line is longer than the timeout.
final class HTTP2Probe: Sendable {
    /// How long a connection may be quiet without doubt: a question costs 17 bytes, so not every request brings one.
    private static let quiet = TimeAmount.seconds(1)

    /// Two losses in a row, which TCP repairs after one second and two more (RFC 6298 section 2), are no death.
    private static let timeout = TimeAmount.seconds(5)

    /// The timeout while exchanges are in flight, which are lost with the connection.
    ///
    /// A server may pause for longer than five seconds, to collect garbage for example. Go's HTTP/2 client waits as long.
    private static let busyTimeout = TimeAmount.seconds(15)

    /// What is written to the connection, which sends a PING frame for it.
    struct Ping {}

    private struct State {
        var lastHeard = NIODeadline.now()
        var question: Question?
        /// Whether a part of a body has left since the timer was set.
        var hasDeparture = false
    }

    private struct Question {
        let acknowledgement: EventLoopPromise<Void>
        let timeout: TimeAmount
        var timer: Scheduled<Void>
    }

    private let state = NIOLockedValueBox(State())

    /// Something has arrived.
    func noteHeard() {
        let question = state.withLockedValue { state in
            defer { (state.lastHeard, state.question) = (.now(), nil) }
            return state.question
        }
        question?.timer.cancel()
        question?.acknowledgement.succeed()
    }

    /// A part of a request's body has left for the peer.
    func noteDeparture() {
        state.withLockedValue { $0.hasDeparture = true }
    }

    /// Asks where the connection has been quiet and nobody has asked yet.
    ///
    /// - Parameters:
    ///   - connection: Where the PING is sent.
    ///   - isBusy: Whether exchanges are in flight.
    /// - Returns: The acknowledgement that is awaited; `nil` where there is no doubt.
    func ask(over connection: any Channel, isBusy: Bool) -> EventLoopFuture<Void>? {
        let (acknowledgement, isNew) = state.withLockedValue { state -> (EventLoopFuture<Void>?, Bool) in
            if let question = state.question { return (question.acknowledgement.futureResult, false) }
            guard state.lastHeard + Self.quiet < .now() else { return (nil, false) }
            let acknowledgement = connection.eventLoop.makePromise(of: Void.self)
            let timeout = isBusy ? Self.busyTimeout : Self.timeout
            state.question = Question(
                acknowledgement: acknowledgement, timeout: timeout, timer: timer(timeout, for: connection))
            state.hasDeparture = false
            return (acknowledgement.futureResult, true)
        }
        if isNew {
            connection.writeAndFlush(HTTP2Probe.Ping()).whenFailure { _ in self.end() }
        }
        return acknowledgement
    }

    private func timer(_ timeout: TimeAmount, for connection: any Channel) -> Scheduled<Void> {
        connection.eventLoop.scheduleTask(in: timeout) { self.expire(connection) }
    }

    private func expire(_ connection: any Channel) {
        let isOver = state.withLockedValue { state in
            guard let question = state.question, state.hasDeparture else { return state.question != nil }
            state.hasDeparture = false
            state.question?.timer = timer(question.timeout, for: connection)
            return false
        }
        if isOver { connection.hangUp() }
    }

    /// Fails the question that is open, because the connection is closed.
    func end() {
        let question = state.withLockedValue { state in
            defer { state.question = nil }
            return state.question
        }
        question?.timer.cancel()
        question?.acknowledgement.fail(ChannelError.eof)
    }
}
