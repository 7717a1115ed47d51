// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A fault of a server: the bytes that it sends, their timing, and the termination of the connection.
///
/// A fault is a value, so that tests can be parameterized by faults.
public struct Fault: Hashable, Sendable {
    /// The event that triggers the fault.
    @nonexhaustive
    public enum Cue: Hashable, Sendable {
        /// The opening of the connection.
        case connection
        /// The client's first bytes, regardless of their content.
        case bytes
        /// The end of the header block of each HTTP/1 request.
        case request
        /// The HEADERS frame of each HTTP/2 request (RFC 9113 section 6.2).
        case stream
    }

    /// An action of the server.
    @nonexhaustive
    public enum Step: Hashable, Sendable {
        /// Sends bytes at once.
        case send([UInt8])
        /// Sends bytes repeatedly, as fast as the client reads them; if `times` is `nil`, until the client closes the
        /// connection.
        case flood([UInt8], times: Int?)
        /// Sends bytes one at a time, and repeats them; if `times` is `nil`, until the client closes the connection.
        case drip([UInt8], every: Duration, times: Int?)
        /// Pauses for a duration.
        case pause(Duration)
        /// Sends HTTP/2 frames at once.
        case frames([RawHTTP2Frame])
        /// Sends HTTP/2 frames repeatedly, as fast as the client reads them; if `times` is `nil`, until the client
        /// closes the connection.
        case frameFlood([RawHTTP2Frame], times: Int?)
    }

    /// The termination of the connection after the last step.
    @nonexhaustive
    public enum Termination: Hashable, Sendable {
        /// Closes the connection as the protocols require.
        case close
        /// Closes the connection without a TLS close_notify alert (RFC 8446 section 6.1), as in a truncation attack.
        case cut
        /// Resets the connection, as if the process crashed.
        case reset
        /// Keeps the connection open without sending more.
        case silence
    }

    /// The event that triggers the fault.
    public let cue: Cue
    /// The steps before the event, which start when the connection opens.
    public let opening: [Step]
    /// The steps after the event, in order.
    public let steps: [Step]
    /// The termination of the connection.
    public let termination: Termination

    /// Creates a fault, which by default waits for an HTTP/1 request and then closes the connection.
    public init(on cue: Cue = .request, opening: [Step] = [], _ steps: [Step] = [], termination: Termination = .close) {
        self.cue = cue
        self.opening = opening
        self.steps = steps
        self.termination = termination
    }

    /// Whether the fault is for HTTP/2, with the cue ``Cue/stream``.
    public var isHTTP2: Bool { cue == .stream }
}

extension Fault.Step {
    /// Sends a text in UTF-8, unchanged.
    ///
    /// The caller must use CR LF where HTTP requires it.
    public static func send(_ text: String) -> Self { .send(Array(text.utf8)) }

    /// Sends a text in UTF-8 repeatedly, by default until the client closes the connection.
    public static func flood(_ text: String, times: Int? = nil) -> Self { .flood(Array(text.utf8), times: times) }

    /// Sends a text in UTF-8 byte by byte, by default once at one byte per second.
    public static func drip(_ text: String, every interval: Duration = .seconds(1), times: Int? = 1) -> Self {
        .drip(Array(text.utf8), every: interval, times: times)
    }
}

extension Fault {
    /// A correct response on a connection that stays open.
    public static let none = response("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood", termination: .silence)

    /// Returns a fault that sends a response unchanged.
    static func response(_ text: String, termination: Termination = .close) -> Self {
        Self([.send(text)], termination: termination)
    }
}

extension Fault {
    /// The named HTTP/1.1 faults for manual tests: ``LabServer/Kind/plainHTTP`` shows each one at the path
    /// `/fault/NAME`.
    public static let ofHTTP1: [(name: String, fault: Fault)] = [
        ("slow", slow(by: .milliseconds(500))),
        ("drip", drip(every: .seconds(1))),
        ("endless-drip-in-head", endlessDripInHead(every: .seconds(1))),
        ("endless-drip-in-body", endlessDripInBody(every: .seconds(1))),
        ("silence", silence), ("silence-in-head", silenceInHead), ("silence-in-body", silenceInBody),
        ("reset", reset), ("closed", closed),
        ("reset-in-head", termination(at: 20, by: .reset)), ("reset-in-body", resetInUnboundedBody),
        ("cut-in-body", cutInUnboundedBody),
        ("rubbish", rubbish(seed: 1)), ("tls-alert", alert), ("unasked-http2", unsolicitedHTTP2),
        ("malformed-challenge", malformedChallenge), ("challenge-without-nonce", challengeWithoutNonce),
        ("redirect-to-nowhere", redirectToNowhere), ("redirect-to-itself", redirectToItself),
        ("short-body", shortBody), ("long-body", longBody), ("largest-length", largestLength),
        ("negative-length", length("-1")), ("overflowing-length", length("18446744073709551616")),
        ("two-lengths", twoLengths), ("length-and-chunks", lengthAndChunks),
        ("huge-field", hugeHeader), ("endless-field", endlessField), ("endless-field-name", endlessFieldName),
        ("endless-fields", endlessFields), ("many-fields", manyFields), ("endless-space", endlessSpace),
        ("endless-reason", endlessReason), ("endless-empty-lines", endlessEmptyLines),
        ("endless-interim", endlessInterim), ("endless-interim-fields", endlessInterimFields),
        ("unasked-upgrade", unsolicitedUpgrade),
        ("cut-off-chunk", cutOffChunk), ("rubbish-chunk", rubbishChunk), ("overflowing-chunk", overflowingChunk),
        ("largest-chunk", largestChunk), ("long-chunk", longChunk), ("endless-chunk-size", endlessChunkSize),
        ("endless-chunk-extension", endlessChunkExtension), ("tiny-chunks", tinyChunks),
        ("wasteful-chunks", wastefulChunks), ("endless-chunks", endlessChunks),
        ("endless-trailer", endlessTrailer), ("endless-trailers", endlessTrailers), ("rubbish-trailer", rubbishTrailer),
        ("gzip-bomb", gzipBomb), ("deflate-bomb", deflateBomb), ("raw-deflate-bomb", rawDeflateBomb),
        ("gzip-bomb-in-chunks", gzipBombInChunks), ("nested-bomb", nestedBomb), ("member-bomb", memberBomb),
        ("endless-members", endlessMembers), ("endless-empty-members", endlessEmptyMembers),
        ("endless-empty-blocks", endlessEmptyBlocks), ("endless-member-name", endlessMemberName),
        ("endless-padding", endlessPadding), ("truncated-gzip", truncatedGzip),
        ("gzip-without-checksum", gzipWithoutChecksum), ("gzip-with-wrong-checksum", gzipWithWrongChecksum),
        ("rubbish-gzip", rubbishGzip), ("rubbish-deflate", rubbishDeflate), ("many-codings", manyCodings),
        ("rubbish-status-line", rubbishStatusLine), ("http-0.9", bodyWithoutHead),
        ("http-2.0", statusLine("HTTP/2.0 200 OK")), ("status-000", statusLine("HTTP/1.1 000 No")),
        ("folded-field", fieldLine(" X: folded")), ("space-before-colon", fieldLine("X : space")),
        ("bare-cr", fieldLine("X: a\rb")), ("nul", fieldLine("X: a\u{0}b")),
        ("chunked-identity", transferCoding("chunked, identity")),
        ("two-responses", twoResponses), ("response-and-a-half", oneResponseAndAHalf),
        ("late-response", lateSecondResponse(after: .milliseconds(100))),
    ]
}
