// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations
import HTTPTransport

/// A limit of time, size or number that ended a request.
@nonexhaustive
public enum LimitError: Error, Sendable {
    /// A timeout passed. Holds the phase, the timeout, and the setting that specifies it.
    ///
    /// In the phases `attempt` and `total`, an attempt or the complete request exceeded its limit. In the others, the
    /// peer was silent for too long.
    case timedOut(SessionError.Peer, SessionError.Phase, after: Duration, setting: SessionError.TimeoutSetting)
    /// The head of a response is larger than the limit. Holds the limit, in bytes.
    case headTooLarge(SessionError.Peer, limit: Int)
    /// The head or the trailer of a response has more fields than the limit. Holds the limit.
    case tooManyFields(SessionError.Peer, limit: Int)
    /// The body is larger than the caller's limit. Holds the limit, in bytes.
    case bodyTooLarge(limit: Int)
    /// A line of a body is longer than the caller's limit. Holds the number of the line, from 1, and the limit, in bytes.
    case lineTooLong(Int, limit: Int)
    /// The data of a server-sent event is larger than the caller's limit. Holds the limit, in bytes.
    case eventTooLarge(limit: Int)
    /// The decoding of a body exceeded the ``ExpansionLimit``. Holds the number of bytes received and decoded until
    /// then.
    case expansionExceeded(SessionError.Peer, received: Int, decoded: Int)
    /// All connections within ``HTTPSession/Configuration/connectionLimits`` were busy for
    /// ``HTTPSession/Configuration/poolTimeout``. Holds that time.
    case noConnectionFree(SessionError.Peer, waited: Duration)
    /// No connection was open after ``HTTPSession/Configuration/poolTimeout``, because the attempts of other requests to
    /// open one had not ended. Holds that time.
    case noConnectionOpened(SessionError.Peer, waited: Duration)
}

extension LimitError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .timedOut(let peer, let phase, let duration, let setting):
            setting.explanation(of: peer, phase, duration.text)
        case .headTooLarge(let peer, let limit):
            ErrorExplanation(
                "limit.head-size", "The head of the response from \(peer) is larger than \(limit) bytes.",
                reason: "The port may not be that of a web server, or the server sends very many fields.",
                advice: "Check the port, or ask the server's operator to send less.")
        case .tooManyFields(let peer, let limit):
            ErrorExplanation(
                "limit.field-count", "The response from \(peer) has more than \(limit) header fields.",
                reason: "The limit protects against servers that send fields without end.",
                advice: "Ask the server's operator to send fewer fields.")
        case .bodyTooLarge(let limit):
            ErrorExplanation(
                "limit.body-size", "The body is larger than the \(limit) bytes that are allowed.",
                reason: "The caller limits how much it reads into memory.",
                advice: "Allow more, or read the body piece by piece.")
        case .lineTooLong(let number, let limit):
            ErrorExplanation(
                "limit.line-length", "Line \(number) of the body is longer than the \(limit) bytes that are allowed.",
                reason: "The caller limits the length of a line, because each line is collected in memory.",
                advice: "Allow longer lines. If the body is not divided into lines, read it piece by piece.")
        case .eventTooLarge(let limit):
            ErrorExplanation(
                "limit.event-size", "An event of the body is larger than the \(limit) bytes that are allowed.",
                reason: "The caller limits the size of an event, because each event is collected in memory.",
                advice: "Allow larger events, or ask the server's operator to send smaller ones.")
        case .expansionExceeded(let peer, let received, let decoded):
            ErrorExplanation(
                "limit.expansion",
                "\(peer.subject) sent \(received) bytes that became more than \(decoded) when they were decompressed.",
                reason: "A body that grows so much is a typical attack on memory.",
                advice: "Raise the limit of the expansion only if you know why the body is so large.")
        case .noConnectionFree(let peer, let waited):
            ErrorExplanation(
                "limit.connections", "Every connection to \(peer) was busy for \(waited.text).",
                reason: "The limit of connections is reached; a response that is not read keeps its connection.",
                advice: "Read or drop open responses, or allow more connections.")
        case .noConnectionOpened(let peer, let waited):
            ErrorExplanation(
                "limit.opening-time", "No connection to \(peer) could be opened within \(waited.text).",
                reason: "The request waited for a connection that another request was still opening.",
                advice: "Check the network and the server, or wait longer for a connection.")
        }
    }

    package static var examples: [LimitError] {
        [
            .timedOut(.example, .total, after: .seconds(120), setting: .total),
            .timedOut(.example, .attempt, after: .seconds(5), setting: .attempt),
            .timedOut(.example, .response, after: .seconds(20), setting: .response),
            .timedOut(.example, .request, after: .seconds(60), setting: .idle),
            .timedOut(.example, .response, after: .seconds(60), setting: .idle),
            .headTooLarge(.example, limit: 131_072), .tooManyFields(.example, limit: 1_000),
            .bodyTooLarge(limit: 1_048_576), .lineTooLong(3, limit: 1_048_576), .eventTooLarge(limit: 1_048_576),
            .expansionExceeded(.example, received: 65_536, decoded: 67_108_864),
            .noConnectionFree(.example, waited: .seconds(60)), .noConnectionOpened(.example, waited: .seconds(30)),
        ]
    }
}

extension TimeoutSetting {
    /// Returns the explanation of a timeout; the code depends on the setting and, for uploads, on the phase.
    fileprivate func explanation(of peer: ConnectionPeer, _ phase: ConnectionPhase, _ duration: String)
        -> ErrorExplanation
    {
        let (overload, later) = ("The server is overloaded, or the network lost the connection.", "Try again later.")
        return switch self {
        case .total:
            ErrorExplanation(
                "limit.total-time", "The request to \(peer) took longer than the total timeout of \(duration).",
                reason: "The server or the network is slow, or the response is large.",
                advice: "Allow more time, or try again later.")
        case .attempt:
            ErrorExplanation(
                "limit.attempt-time",
                "An attempt at the request to \(peer) took longer than the attempt timeout of \(duration).",
                reason: "The server or the network is slow, or the response is large.",
                advice: "Allow more time for each attempt, or more retries.")
        case .response:
            ErrorExplanation(
                "limit.response-time",
                "\(peer.subject) did not respond within the response timeout of \(duration).",
                reason: "The server takes long to process the request, or is overloaded.",
                advice: "Allow more time for the response, or try again later.")
        case .idle where phase == .request:
            ErrorExplanation(
                "limit.idle-upload",
                "\(peer.subject) accepted nothing of the request for \(duration) (idle timeout).",
                reason: overload, advice: later)
        case .idle, .handshake:
            ErrorExplanation(
                "limit.idle-time",
                "\(peer.subject) sent nothing for \(duration) \(phase.clause) (\(self == .idle ? "idle" : "handshake") timeout).",
                reason: overload, advice: later)
        }
    }
}
