// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Fault {
    /// A correct response of HTTP/2.
    public static let noneOfHTTP2 = http2([.headers([(":status", "200")]), .data("good", .endStream)])

    /// Makes a fault that answers each request with frames, after SETTINGS at the start, which are empty by default.
    public static func http2(
        settings: HTTP2Frame = .settings(), _ frames: [HTTP2Frame], ending: Ending = .silence
    ) -> Self {
        Self(on: .stream, opening: [.frames([settings])], [.frames(frames)], ending: ending)
    }

    /// Frames without an end once the first request is there.
    static func http2Flood(after frames: [HTTP2Frame] = [], _ flood: [HTTP2Frame]) -> Self {
        Self(
            on: .stream, opening: [.frames([.settings()])], [.frames(frames), .frameFlood(flood, times: nil)],
            ending: .silence)
    }

    private static let head = HTTP2Frame.headers([(":status", "200")])

    // MARK: Floods (CVE-2019-9511 to 9518, CVE-2023-44487, CVE-2024-27316)

    /// Endless SETTINGS, each to be acknowledged.
    public static let settingsFlood = http2Flood([.settings((number: 3, value: 100))])
    /// Endless PINGs, each to be acknowledged.
    public static let pingFlood = http2Flood([.ping])
    /// Endless empty DATA.
    public static let emptyDataFlood = http2Flood(after: [head], [.data("")])
    /// Endless CONTINUATION, each with a field.
    public static let continuationFlood = http2Flood(
        after: [HTTP2Frame(.headers, on: .requested, HPACK.literal(":status", "200"))],
        [HTTP2Frame(.continuation, on: .requested, HPACK.literal("x", "y"))])
    /// Endless empty CONTINUATION.
    public static let emptyContinuationFlood = http2Flood(
        after: [HTTP2Frame(.headers, on: .requested, HPACK.literal(":status", "200"))],
        [HTTP2Frame(.continuation, on: .requested)])
    /// Endless PRIORITY for a stream that is not open.
    public static let priorityFlood = http2Flood([HTTP2Frame(.priority, on: .number(3), [0, 0, 0, 0, 16])])
    /// Endless RST_STREAM for the same stream.
    public static let resetFlood = http2Flood([.resetStream(error: 8)])
    /// Endless WINDOW_UPDATE, each for one byte.
    public static let windowUpdateFlood = http2Flood(after: [head], [.windowUpdate(1, on: .requested)])
    /// Endless interim responses, 103.
    public static let interimFlood = http2Flood([.headers([(":status", "103")])])
    /// Endless frames of an unknown type.
    public static let unknownFrameFlood = http2Flood([HTTP2Frame(.other(0xfa), on: .connection, [1, 2, 3])])
    /// An endless body, sent without regard to the client's flow-control window (RFC 9113 section 6.9).
    public static let dataBeyondWindow = http2Flood(after: [head], [.data(String(repeating: "a", count: 4_096))])
    /// Endless DATA that is only padding.
    public static let paddingFlood = http2Flood(
        after: [head], [HTTP2Frame(.data, .padded, on: .requested, [255] + Array(repeating: 0, count: 255))])

    // MARK: Ends

    /// Makes a fault that resets each request at once (RFC 9113 section 5.4.2), with an error code of RFC 9113 section 7.
    public static func streamReset(error: UInt32) -> Self { http2([.resetStream(error: error)]) }
    /// Makes a fault that resets the stream in the middle of a body, with an error code of RFC 9113 section 7.
    public static func resetInData(error: UInt32) -> Self { http2([head, .data("half"), .resetStream(error: error)]) }
    /// A GOAWAY without an error after the request, by which no request was processed (RFC 9113 section 6.8).
    public static let goAwayAtOnce = http2([.goAway(lastStream: 0, error: 0)], ending: .close)
    /// A GOAWAY without an error before any request.
    public static let goAwayInAdvance = Self(
        on: .stream, opening: [.frames([.settings(), .goAway(lastStream: 0, error: 0)])], ending: .close)
    /// A GOAWAY with PROTOCOL_ERROR and the end of the connection, in the middle of a body.
    public static let goAwayInData = http2([head, .data("half"), .goAway(lastStream: 1, error: 1)], ending: .close)
    /// An end of the connection in the middle of a body, without GOAWAY.
    public static let closeInData = http2([head, .data("half")], ending: .close)
    /// A reset of the connection in the middle of a body.
    public static let resetConnectionInData = http2([head, .data("half")], ending: .reset)
    /// SETTINGS, and no response.
    public static let silentStream = http2([])
    /// A head, and nothing more.
    public static let silentData = http2([head])

    private static let start = HPACK.literal(":status", "200")

    // MARK: Heads

    /// A head of about 1 MB: 64 CONTINUATION frames, each with a field of 16,000 bytes.
    public static let hugeHeadOfHTTP2 = Self(
        on: .stream, opening: [.frames([.settings()])],
        [
            .frames([HTTP2Frame(.headers, on: .requested, start)]),
            .frameFlood(
                [HTTP2Frame(.continuation, on: .requested, HPACK.literal("x", String(repeating: "a", count: 16_000)))],
                times: 64),
            .frames([HTTP2Frame(.continuation, .endHeaders, on: .requested)]),
        ], ending: .silence)
    /// A small frame that HPACK decodes to 48 MB of fields (an HPACK bomb): 12,000 references to a field of 4,000 bytes.
    public static let headBomb = http2([
        HTTP2Frame(
            .headers, .endHeaders, on: .requested,
            start + HPACK.remembered("a", String(repeating: "b", count: 4_000))
                + Array(repeating: HPACK.latest, count: 12_000))
    ])
    /// A reference to an entry that HPACK's table does not have (RFC 7541 section 2.3.3).
    public static let rubbishHPACK = http2([HTTP2Frame(.headers, .endHeaders, on: .requested, [0xfe])])
    /// Makes a response with these fields and no body; `:status` is not added.
    public static func headOfHTTP2(_ fields: (name: String, value: String)...) -> Self {
        http2([.headers(fields, [.endHeaders, .endStream])])
    }
    /// Makes a response with a body of four bytes and this text as its Content-Length.
    public static func lengthMismatch(_ length: String) -> Self {
        http2([.headers([(":status", "200"), ("content-length", length)]), .data("good", .endStream)])
    }
    /// A pseudo-header field among the trailer fields (RFC 9113 section 8.3).
    public static let pseudoFieldInTrailers = http2([
        head, .data("good"), .headers([(":status", "200")], [.endHeaders, .endStream]),
    ])
    /// DATA without HEADERS before it.
    public static let dataWithoutHead = http2([.data("good", .endStream)])
    /// A second head with a final status before the body.
    public static let twoHeads = http2([head, head, .data("good", .endStream)])

    // MARK: Frames

    /// A PUSH_PROMISE that the client did not allow (RFC 9113 section 8.4).
    public static let unaskedPush = http2([
        HTTP2Frame(.pushPromise, .endHeaders, on: .requested, UInt32(2).bytes + HPACK.literal(":method", "GET")),
        head, .data("good", .endStream),
    ])
    /// A connection window of more than 2^31-1 bytes (RFC 9113 section 6.9.1).
    public static let windowOverflow = http2([.windowUpdate(0x7fff_ffff), .windowUpdate(0x7fff_ffff)])
    /// A stream window of more than 2^31-1 bytes (RFC 9113 section 6.9.1).
    public static let streamWindowOverflow = http2([
        .windowUpdate(0x7fff_ffff, on: .requested), .windowUpdate(0x7fff_ffff, on: .requested),
    ])
    /// A WINDOW_UPDATE of 0 bytes, which is an error (RFC 9113 section 6.9).
    public static let emptyWindowUpdate = http2([.windowUpdate(0)])
    /// DATA of 20,000 bytes, more than the largest frame by default, 16,384 bytes (RFC 9113 section 4.2).
    public static let hugeFrame = http2([
        head, HTTP2Frame(.data, on: .requested, Array(repeating: 0, count: 20_000)),
    ])
    /// DATA with the length 2^24-1 in its header, and no payload.
    public static let lyingFrame = http2([head, HTTP2Frame(.data, on: .requested, saidLength: 0xff_ffff)])
    /// A PING of three bytes instead of eight (RFC 9113 section 6.7).
    public static let shortPing = http2([HTTP2Frame(.ping, [], [1, 2, 3])])
    /// SETTINGS on a stream (RFC 9113 section 6.5).
    public static let settingsOnStream = http2([HTTP2Frame(.settings, on: .requested)])
    /// SETTINGS with half of a parameter (RFC 9113 section 6.5).
    public static let halfASetting = http2([HTTP2Frame(.settings, [], [0, 3, 0])])
    /// A CONTINUATION without HEADERS before it (RFC 9113 section 6.10).
    public static let strayContinuation = http2([HTTP2Frame(.continuation, .endHeaders, on: .requested)])
    /// A PING between HEADERS and CONTINUATION (RFC 9113 section 6.10).
    public static let interruptedHead = http2([HTTP2Frame(.headers, on: .requested, start), .ping])
    /// More padding than payload (RFC 9113 section 6.1).
    public static let overlongPadding = http2([head, HTTP2Frame(.data, .padded, on: .requested, [200, 1, 2])])
    /// DATA on stream 0 (RFC 9113 section 6.1).
    public static let dataOnConnection = http2([.data("good", on: .connection)])
    /// HEADERS on stream 2, which only a push could have opened.
    public static let headOnEvenStream = http2([.headers([(":status", "200")], on: .number(2))])
    /// HEADERS on stream 101, which is idle (RFC 9113 section 5.1).
    public static let headOnIdleStream = http2([.headers([(":status", "200")], on: .number(101))])
    /// A correct response, and DATA on the stream that it has closed (RFC 9113 section 5.1).
    public static let dataOnClosedStream = http2([head, .data("good", .endStream), .data("evil", .endStream)])
    /// A response of HTTP/1.1 where HTTP/2 was agreed on.
    public static let http1InHTTP2 = Self(on: .stream, [.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood")])

    // MARK: Settings

    /// SETTINGS that allow no stream, and RST_STREAM with REFUSED_STREAM for each request.
    public static let noStreams = http2(settings: .settings((number: 3, value: 0)), [.resetStream(error: 7)])
    /// SETTINGS with an initial window of 0, and no response.
    public static let closedWindow = http2(settings: .settings((number: 4, value: 0)), [])
    /// SETTINGS that allow one stream and an initial window of 0, and a correct response.
    public static let answerAtClosedWindow = http2(
        settings: .settings((number: 3, value: 1), (number: 4, value: 0)), [head, .data("good", .endStream)])
    /// SETTINGS with an initial window of more than 2^31-1 bytes (RFC 9113 section 6.5.2).
    public static let overlargeWindow = http2(settings: .settings((number: 4, value: 0x8000_0000)), [])
    /// SETTINGS with a largest frame of 1 byte, less than is allowed (RFC 9113 section 6.5.2).
    public static let tinyFrames = http2(settings: .settings((number: 5, value: 1)), [])
    /// A response without SETTINGS before it (RFC 9113 section 3.4).
    public static let noSettings = Self(on: .stream, [.frames([head, .data("good", .endStream)])], ending: .silence)

    /// Faults of HTTP/2, each with a name; a ``FaultServer`` shows them to clients that agree on `h2`.
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
        ("two-heads", twoHeads), ("unasked-push", unaskedPush), ("window-overflow", windowOverflow),
        ("stream-window-overflow", streamWindowOverflow), ("huge-frame", hugeFrame), ("lying-frame", lyingFrame),
        ("short-ping", shortPing), ("settings-on-stream", settingsOnStream), ("half-a-setting", halfASetting),
        ("stray-continuation", strayContinuation), ("interrupted-head", interruptedHead),
        ("overlong-padding", overlongPadding), ("data-on-connection", dataOnConnection),
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
