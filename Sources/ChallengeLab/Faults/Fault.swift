// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A fault of a server: what it sends, when, and how it ends the connection.
///
/// Every fault is a value, so a table of them is a test.
public struct Fault: Hashable, Sendable {
    /// The event that a server waits for before it sends the fault.
    public enum Cue: Hashable, Sendable {
        /// No event: the server sends at once.
        case connection
        /// The first bytes, whatever they are.
        case bytes
        /// A request's head, of HTTP/1.
        case request
        /// A request's HEADERS frame (RFC 9113 section 6.2); every request of a connection is one.
        case stream
    }

    /// One thing that is done.
    public enum Step: Hashable, Sendable {
        /// Bytes, all at once.
        case send([UInt8])
        /// The same bytes again and again, as fast as the client takes them; without a number, until it hangs up.
        case flood([UInt8], times: Int?)
        /// One byte at a time, and the same bytes again so many times; without a number, until the client hangs up.
        case drip([UInt8], every: Duration, times: Int?)
        /// Sends nothing for a while.
        case pause(Duration)
        /// Frames of HTTP/2, all at once.
        case frames([HTTP2Frame])
        /// The same frames again and again, as with bytes.
        case frameFlood([HTTP2Frame], times: Int?)
    }

    /// How the connection ends once all is done.
    public enum Ending: Hashable, Sendable {
        /// Closes the connection as the protocols require.
        case close
        /// Closes the connection without TLS's close_notify (RFC 8446 section 6.1), as an attacker who cuts it would.
        case cut
        /// Resets the connection, as when a process dies.
        case reset
        /// Keeps the connection open and sends nothing more.
        case silence
    }

    /// The event that the server waits for.
    public let cue: Cue
    /// The steps before that, as soon as the connection is open.
    public let opening: [Step]
    /// The steps after the event, in order.
    public let steps: [Step]
    /// The end of the connection.
    public let ending: Ending

    /// A fault of your own.
    public init(on cue: Cue = .request, opening: [Step] = [], _ steps: [Step] = [], ending: Ending = .close) {
        self.cue = cue
        self.opening = opening
        self.steps = steps
        self.ending = ending
    }

    /// Whether it is one of HTTP/2.
    public var speaksHTTP2: Bool { cue == .stream }
}

extension Fault.Step {
    /// A text, its lines ended as HTTP ends them.
    public static func send(_ text: String) -> Self { .send(Array(text.utf8)) }

    /// A text again and again.
    public static func flood(_ text: String, times: Int? = nil) -> Self { .flood(Array(text.utf8), times: times) }

    /// A text, a byte a second unless said otherwise.
    public static func drip(_ text: String, every interval: Duration = .seconds(1), times: Int? = 1) -> Self {
        .drip(Array(text.utf8), every: interval, times: times)
    }
}

extension Fault {
    /// An answer with which nothing is wrong, and after which the connection stays open.
    public static let none = response("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood", ending: .silence)

    /// An answer as it stands here.
    static func response(_ text: String, ending: Ending = .close) -> Self {
        Self([.send(text)], ending: ending)
    }
}
