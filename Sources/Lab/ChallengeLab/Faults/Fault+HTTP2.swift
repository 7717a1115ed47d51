// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Fault {
    /// A correct HTTP/2 response.
    public static let noneOfHTTP2 = http2([.headers([(":status", "200")]), .data("good", .endStream)])

    /// Returns a fault that sends SETTINGS at the start, empty by default, and responds to each request with frames.
    public static func http2(
        settings: RawHTTP2Frame = .settings(), _ frames: [RawHTTP2Frame], termination: Termination = .silence
    ) -> Self {
        Self(on: .stream, opening: [.frames([settings])], [.frames(frames)], termination: termination)
    }

    /// Returns a fault that sends endless frames after the first request.
    static func http2Flood(after frames: [RawHTTP2Frame] = [], _ flood: [RawHTTP2Frame]) -> Self {
        Self(
            on: .stream, opening: [.frames([.settings()])], [.frames(frames), .frameFlood(flood, times: nil)],
            termination: .silence)
    }

    private static let head = RawHTTP2Frame.headers([(":status", "200")])

    // MARK: Floods (CVE-2019-9511 to 9518, CVE-2023-44487, CVE-2024-27316)

    /// Endless SETTINGS frames, which the client must acknowledge.
    public static let settingsFlood = http2Flood([.settings((number: 3, value: 100))])
    /// Endless PING frames, which the client must acknowledge.
    public static let pingFlood = http2Flood([.ping])
    /// Endless empty DATA frames.
    public static let emptyDataFlood = http2Flood(after: [head], [.data("")])
    /// Endless CONTINUATION frames with one field each.
    public static let continuationFlood = http2Flood(
        after: [RawHTTP2Frame(.headers, on: .requested, HPACK.literal(":status", "200"))],
        [RawHTTP2Frame(.continuation, on: .requested, HPACK.literal("x", "y"))])
    /// Endless empty CONTINUATION frames.
    public static let emptyContinuationFlood = http2Flood(
        after: [RawHTTP2Frame(.headers, on: .requested, HPACK.literal(":status", "200"))],
        [RawHTTP2Frame(.continuation, on: .requested)])
    /// Endless PRIORITY frames for a stream that is not open.
    public static let priorityFlood = http2Flood([RawHTTP2Frame(.priority, on: .number(3), [0, 0, 0, 0, 16])])
    /// Endless RST_STREAM frames for the same stream.
    public static let resetFlood = http2Flood([.resetStream(error: 8)])
    /// Endless WINDOW_UPDATE frames for one byte each.
    public static let windowUpdateFlood = http2Flood(after: [head], [.windowUpdate(1, on: .requested)])
    /// Endless interim responses with status 103.
    public static let interimFlood = http2Flood([.headers([(":status", "103")])])
    /// Endless frames of an unknown type.
    public static let unknownFrameFlood = http2Flood([RawHTTP2Frame(.other(0xfa), on: .connection, [1, 2, 3])])
    /// An endless body that ignores the client's flow-control window (RFC 9113 section 6.9).
    public static let dataBeyondWindow = http2Flood(after: [head], [.data(String(repeating: "a", count: 4_096))])
    /// Endless DATA frames that contain only padding.
    public static let paddingFlood = http2Flood(
        after: [head], [RawHTTP2Frame(.data, .padded, on: .requested, [255] + Array(repeating: 0, count: 255))])

    // MARK: Terminations

    /// Returns a fault that resets each request at once (RFC 9113 section 5.4.2), with an error code of RFC 9113
    /// section 7.
    public static func streamReset(error: UInt32) -> Self { http2([.resetStream(error: error)]) }
    /// Returns a fault that resets the stream in the middle of a body, with an error code of RFC 9113 section 7.
    public static func resetInData(error: UInt32) -> Self { http2([head, .data("half"), .resetStream(error: error)]) }
    /// A GOAWAY frame without an error after the request.
    ///
    /// It means that no request was processed (RFC 9113 section 6.8).
    public static let goAwayAtOnce = http2([.goAway(lastStream: 0, error: 0)], termination: .close)
    /// A GOAWAY frame without an error before any request.
    public static let goAwayInAdvance = Self(
        on: .stream, opening: [.frames([.settings(), .goAway(lastStream: 0, error: 0)])], termination: .close)
    /// A GOAWAY frame with PROTOCOL_ERROR in the middle of a body, after which the connection is closed.
    public static let goAwayInData = http2(
        [head, .data("half"), .goAway(lastStream: 1, error: 1)], termination: .close)
    /// A connection that is closed in the middle of a body, without a GOAWAY frame.
    public static let closeInData = http2([head, .data("half")], termination: .close)
    /// A connection that is reset in the middle of a body.
    public static let resetConnectionInData = http2([head, .data("half")], termination: .reset)
    /// A SETTINGS frame without a response to any request.
    public static let silentStream = http2([])
    /// A header block without a body, on a stream that stays open.
    public static let silentData = http2([head])

    private static let start = HPACK.literal(":status", "200")

    // MARK: Header blocks

    /// A header block of about 1 MB, in 64 CONTINUATION frames with a field of 16,000 bytes each.
    public static let hugeHeadOfHTTP2 = Self(
        on: .stream, opening: [.frames([.settings()])],
        [
            .frames([RawHTTP2Frame(.headers, on: .requested, start)]),
            .frameFlood(
                [
                    RawHTTP2Frame(
                        .continuation, on: .requested, HPACK.literal("x", String(repeating: "a", count: 16_000)))
                ],
                times: 64),
            .frames([RawHTTP2Frame(.continuation, .endHeaders, on: .requested)]),
        ], termination: .silence)
    /// A small frame that HPACK decodes to 48 MB of fields (an HPACK bomb), with 12,000 references to a field
    /// of 4,000 bytes.
    public static let headBomb = http2([
        RawHTTP2Frame(
            .headers, .endHeaders, on: .requested,
            start + HPACK.indexedLiteral("a", String(repeating: "b", count: 4_000))
                + Array(repeating: HPACK.newestIndex, count: 12_000))
    ])
    /// A header block that references a missing entry of the HPACK table (RFC 7541 section 2.3.3).
    public static let rubbishHPACK = http2([RawHTTP2Frame(.headers, .endHeaders, on: .requested, [0xfe])])
    /// Returns a response with the given fields and no body.
    ///
    /// The caller must include `:status`.
    public static func headOfHTTP2(_ fields: (name: String, value: String)...) -> Self {
        http2([.headers(fields, [.endHeaders, .endStream])])
    }
    /// Returns a response with a body of four bytes and the given Content-Length value.
    public static func lengthMismatch(_ length: String) -> Self {
        http2([.headers([(":status", "200"), ("content-length", length)]), .data("good", .endStream)])
    }
    /// A pseudo-header field in the trailer section (RFC 9113 section 8.3).
    public static let pseudoFieldInTrailers = http2([
        head, .data("good"), .headers([(":status", "200")], [.endHeaders, .endStream]),
    ])
    /// A DATA frame without a preceding HEADERS frame.
    public static let dataWithoutHead = http2([.data("good", .endStream)])
    /// A second header block with a final status before the body.
    public static let twoHeads = http2([head, head, .data("good", .endStream)])

    // MARK: Frames

    /// A PUSH_PROMISE frame that the client has not permitted (RFC 9113 section 8.4).
    public static let unsolicitedPush = http2([
        RawHTTP2Frame(.pushPromise, .endHeaders, on: .requested, UInt32(2).bytes + HPACK.literal(":method", "GET")),
        head, .data("good", .endStream),
    ])
    /// WINDOW_UPDATE frames that increase the connection window above 2^31-1 bytes (RFC 9113 section 6.9.1).
    public static let windowOverflow = http2([.windowUpdate(0x7fff_ffff), .windowUpdate(0x7fff_ffff)])
    /// WINDOW_UPDATE frames that increase a stream window above 2^31-1 bytes (RFC 9113 section 6.9.1).
    public static let streamWindowOverflow = http2([
        .windowUpdate(0x7fff_ffff, on: .requested), .windowUpdate(0x7fff_ffff, on: .requested),
    ])
    /// A WINDOW_UPDATE frame for 0 bytes, which is an error (RFC 9113 section 6.9).
    public static let emptyWindowUpdate = http2([.windowUpdate(0)])
    /// A DATA frame of 20,000 bytes, above the default limit of 16,384 bytes (RFC 9113 section 4.2).
    public static let hugeFrame = http2([
        head, RawHTTP2Frame(.data, on: .requested, Array(repeating: 0, count: 20_000)),
    ])
    /// A DATA frame whose header declares a length of 2^24-1 bytes, without a payload.
    public static let wrongLengthFrame = http2([head, RawHTTP2Frame(.data, on: .requested, declaredLength: 0xff_ffff)])
    /// A PING frame of three bytes instead of eight (RFC 9113 section 6.7).
    public static let shortPing = http2([RawHTTP2Frame(.ping, [], [1, 2, 3])])
    /// A SETTINGS frame on a stream (RFC 9113 section 6.5).
    public static let settingsOnStream = http2([RawHTTP2Frame(.settings, on: .requested)])
    /// A SETTINGS frame with half of a parameter (RFC 9113 section 6.5).
    public static let partialSetting = http2([RawHTTP2Frame(.settings, [], [0, 3, 0])])
    /// A CONTINUATION frame without a preceding HEADERS frame (RFC 9113 section 6.10).
    public static let strayContinuation = http2([RawHTTP2Frame(.continuation, .endHeaders, on: .requested)])
    /// A PING frame between HEADERS and CONTINUATION (RFC 9113 section 6.10).
    public static let interruptedHead = http2([RawHTTP2Frame(.headers, on: .requested, start), .ping])
    /// A DATA frame with more padding than payload (RFC 9113 section 6.1).
    public static let excessivePadding = http2([head, RawHTTP2Frame(.data, .padded, on: .requested, [200, 1, 2])])
    /// A DATA frame on stream 0 (RFC 9113 section 6.1).
    public static let dataOnConnection = http2([.data("good", on: .connection)])
    /// A HEADERS frame on stream 2, which only a server push can open.
    public static let headOnEvenStream = http2([.headers([(":status", "200")], on: .number(2))])
    /// A HEADERS frame on stream 101, which is idle (RFC 9113 section 5.1).
    public static let headOnIdleStream = http2([.headers([(":status", "200")], on: .number(101))])
    /// A correct response, followed by DATA on its closed stream (RFC 9113 section 5.1).
    public static let dataOnClosedStream = http2([head, .data("good", .endStream), .data("evil", .endStream)])
    /// An HTTP/1.1 response after HTTP/2 was negotiated.
    public static let http1InHTTP2 = Self(on: .stream, [.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood")])

    // MARK: Settings

    /// A SETTINGS frame that allows no streams, and RST_STREAM with REFUSED_STREAM for each request.
    public static let noStreams = http2(settings: .settings((number: 3, value: 0)), [.resetStream(error: 7)])
    /// A SETTINGS frame with an initial window of 0, without a response to any request.
    public static let closedWindow = http2(settings: .settings((number: 4, value: 0)), [])
    /// A SETTINGS frame that allows one stream and has an initial window of 0, with a correct response.
    public static let answerAtClosedWindow = http2(
        settings: .settings((number: 3, value: 1), (number: 4, value: 0)), [head, .data("good", .endStream)])
    /// A SETTINGS frame with an initial window above 2^31-1 bytes (RFC 9113 section 6.5.2).
    public static let overlargeWindow = http2(settings: .settings((number: 4, value: 0x8000_0000)), [])
    /// A SETTINGS frame with a maximum frame size of 1 byte, below the allowed minimum (RFC 9113 section 6.5.2).
    public static let tinyFrames = http2(settings: .settings((number: 5, value: 1)), [])
    /// A response without a preceding SETTINGS frame (RFC 9113 section 3.4).
    public static let noSettings = Self(
        on: .stream, [.frames([head, .data("good", .endStream)])], termination: .silence)

    /// The named HTTP/2 faults.
    ///
    /// A ``FaultServer`` shows them to clients that negotiate `h2`.
    public static let ofHTTP2: [(name: String, fault: Fault)] = [
        ("settings-flood", settingsFlood), ("ping-flood", pingFlood), ("empty-data-flood", emptyDataFlood),
        ("continuation-flood", continuationFlood), ("empty-continuation-flood", emptyContinuationFlood),
        ("priority-flood", priorityFlood), ("reset-flood", resetFlood), ("window-update-flood", windowUpdateFlood),
        ("interim-flood", interimFlood), ("unknown-frame-flood", unknownFrameFlood),
        ("data-beyond-window", dataBeyondWindow), ("padding-flood", paddingFlood),
        ("internal-error", streamReset(error: 2)), ("refused", streamReset(error: 7)),
        ("reset-in-data", resetInData(error: 2)), ("goaway-at-once", goAwayAtOnce),
        ("goaway-in-advance", goAwayInAdvance),
        ("goaway-in-data", goAwayInData), ("close-in-data", closeInData),
        ("connection-reset-in-data", resetConnectionInData), ("silence", silentStream), ("silence-in-data", silentData),
        ("huge-head", hugeHeadOfHTTP2), ("head-bomb", headBomb), ("rubbish-hpack", rubbishHPACK),
        ("no-status", headOfHTTP2(("x", "y"))), ("length-mismatch", lengthMismatch("5")),
        ("pseudo-field-in-trailers", pseudoFieldInTrailers), ("data-without-head", dataWithoutHead),
        ("two-heads", twoHeads), ("unasked-push", unsolicitedPush), ("window-overflow", windowOverflow),
        ("stream-window-overflow", streamWindowOverflow), ("huge-frame", hugeFrame), ("lying-frame", wrongLengthFrame),
        ("short-ping", shortPing), ("settings-on-stream", settingsOnStream), ("half-a-setting", partialSetting),
        ("stray-continuation", strayContinuation), ("interrupted-head", interruptedHead),
        ("overlong-padding", excessivePadding), ("data-on-connection", dataOnConnection),
        ("head-on-even-stream", headOnEvenStream), ("head-on-idle-stream", headOnIdleStream),
        ("data-on-closed-stream", dataOnClosedStream), ("http-1.1-in-http-2", http1InHTTP2),
        ("no-streams", noStreams), ("closed-window", closedWindow), ("answer-at-closed-window", answerAtClosedWindow),
        ("overlarge-window", overlargeWindow),
        ("tiny-frames", tinyFrames), ("no-settings", noSettings),
        ("gzip-bomb", gzipBombOfHTTP2), ("nested-bomb", nestedBombOfHTTP2),
        ("endless-empty-members", endlessEmptyMembersOfHTTP2), ("truncated-gzip", truncatedGzipOfHTTP2),
        ("rubbish-gzip", rubbishGzipOfHTTP2),
    ]
}
