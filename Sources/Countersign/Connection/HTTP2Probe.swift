// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP2

/// Finds out whether the server of a quiet connection is still there: it may have died without a word, or somebody on the way has
/// forgotten the connection (RFC 9113 section 6.7).
///
/// A request over a connection that has been quiet brings a question with it. Whatever arrives then is an answer; where nothing
/// does, the connection is closed, and what may be sent again goes over another. What may not waits for the answer first.
final class HTTP2Probe: Sendable {
    /// How long a connection may be quiet without doubt: a question costs 17 bytes, so not every request brings one.
    private static let quiet = TimeAmount.seconds(1)

    /// Two losses in a row, which TCP repairs after one second and two more (RFC 6298 section 2), are no death.
    private static let patience = TimeAmount.seconds(5)

    private struct State {
        var lastHeard = NIODeadline.now()
        var question: Question?
    }

    private struct Question {
        let answer: EventLoopPromise<Void>
        let timer: Scheduled<Void>
    }

    private let state = NIOLockedValueBox(State())

    /// Something has arrived.
    func noteHeard() {
        let question = state.withLockedValue { state in
            defer { (state.lastHeard, state.question) = (.now(), nil) }
            return state.question
        }
        question?.timer.cancel()
        question?.answer.succeed()
    }

    /// Asks where the connection has been quiet and nobody has asked yet.
    ///
    /// - Returns: The answer that is awaited; `nil` where there is no doubt.
    func ask(over connection: any Channel) -> EventLoopFuture<Void>? {
        let (answer, isNew) = state.withLockedValue { state -> (EventLoopFuture<Void>?, Bool) in
            if let question = state.question { return (question.answer.futureResult, false) }
            guard state.lastHeard + Self.quiet < .now() else { return (nil, false) }
            let timer = connection.eventLoop.scheduleTask(in: Self.patience) { connection.hangUp() }
            let answer = connection.eventLoop.makePromise(of: Void.self)
            state.question = Question(answer: answer, timer: timer)
            return (answer.futureResult, true)
        }
        if isNew {
            let question = HTTP2Frame(streamID: .rootStream, payload: .ping(HTTP2PingData(), ack: false))
            connection.writeAndFlush(question).whenFailure { _ in self.end() }
        }
        return answer
    }

    /// The connection is closed, and nobody answers any more.
    func end() {
        let question = state.withLockedValue { state in
            defer { state.question = nil }
            return state.question
        }
        question?.timer.cancel()
        question?.answer.fail(ChannelError.eof)
    }
}
