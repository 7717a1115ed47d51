// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Fault {
    private static let head = HTTP2Frame.headers([(":status", "200")])
    private static let start = HPACK.literal(":status", "200")

    // MARK: Heads

    /// A field of a quarter of a megabyte and more, in as many frames as it takes.
    public static let hugeHeadOfHTTP2 = Self(
        on: .stream, opening: [.frames([.settings()])],
        [
            .frames([HTTP2Frame(.headers, on: .requested, start)]),
            .frameFlood(
                [HTTP2Frame(.continuation, on: .requested, HPACK.literal("x", String(repeating: "a", count: 16_000)))],
                times: 64),
            .frames([HTTP2Frame(.continuation, .endHeaders, on: .requested)]),
        ], ending: .silence)
    /// A small frame that stands for sixty megabytes of fields (an HPACK bomb).
    public static let headBomb = http2([
        HTTP2Frame(
            .headers, .endHeaders, on: .requested,
            start + HPACK.remembered("a", String(repeating: "b", count: 4_000))
                + Array(repeating: HPACK.latest, count: 12_000))
    ])
    /// A reference to a field that was never remembered.
    public static let rubbishHPACK = http2([HTTP2Frame(.headers, .endHeaders, on: .requested, [0xfe])])
    /// A response with these fields and no body.
    public static func headOfHTTP2(_ fields: (name: String, value: String)...) -> Self {
        http2([.headers(fields, [.endHeaders, .endStream])])
    }
    /// A body of another length than its head says.
    public static func lengthMismatch(_ length: String) -> Self {
        http2([.headers([(":status", "200"), ("content-length", length)]), .data("good", .endStream)])
    }
    /// Trailers that hold what only a head may.
    public static let pseudoFieldInTrailers = http2([
        head, .data("good"), .headers([(":status", "200")], [.endHeaders, .endStream]),
    ])
    /// A body before any head.
    public static let dataWithoutHead = http2([.data("good", .endStream)])
    /// Two heads.
    public static let twoHeads = http2([head, head, .data("good", .endStream)])

    // MARK: Frames

    /// A response without a request (RFC 9113 section 8.4).
    public static let unaskedPush = http2([
        HTTP2Frame(.pushPromise, .endHeaders, on: .requested, UInt32(2).bytes + HPACK.literal(":method", "GET")),
        head, .data("good", .endStream),
    ])
    /// More bytes to send than there can be (RFC 9113 section 6.9.1).
    public static let windowOverflow = http2([.windowUpdate(0x7fff_ffff), .windowUpdate(0x7fff_ffff)])
    /// The same for one stream.
    public static let streamWindowOverflow = http2([
        .windowUpdate(0x7fff_ffff, on: .requested), .windowUpdate(0x7fff_ffff, on: .requested),
    ])
    /// Leave to send no byte more, which is an error.
    public static let emptyWindowUpdate = http2([.windowUpdate(0)])
    /// A frame larger than the client allows.
    public static let hugeFrame = http2([
        head, HTTP2Frame(.data, on: .requested, Array(repeating: 0, count: 20_000)),
    ])
    /// A frame that says it is as large as a frame can be.
    public static let lyingFrame = http2([head, HTTP2Frame(.data, on: .requested, saidLength: 0xff_ffff)])
    /// A question that is no question.
    public static let shortPing = http2([HTTP2Frame(.ping, [], [1, 2, 3])])
    /// Settings that belong to a stream.
    public static let settingsOnStream = http2([HTTP2Frame(.settings, on: .requested)])
    /// Half a setting.
    public static let halfASetting = http2([HTTP2Frame(.settings, [], [0, 3, 0])])
    /// A continuation of nothing.
    public static let strayContinuation = http2([HTTP2Frame(.continuation, .endHeaders, on: .requested)])
    /// Another frame in the middle of a head.
    public static let interruptedHead = http2([HTTP2Frame(.headers, on: .requested, start), .ping])
    /// More padding than there is frame.
    public static let overlongPadding = http2([head, HTTP2Frame(.data, .padded, on: .requested, [200, 1, 2])])
    /// A part of a body that belongs to no stream.
    public static let dataOnConnection = http2([.data("good", on: .connection)])
    /// A head on a stream that only the server could have opened.
    public static let headOnEvenStream = http2([.headers([(":status", "200")], on: .number(2))])
    /// A head on a stream that is not open.
    public static let headOnIdleStream = http2([.headers([(":status", "200")], on: .number(101))])
    /// A good answer, and more on the stream that it has closed.
    public static let dataOnClosedStream = http2([head, .data("good", .endStream), .data("evil", .endStream)])
    /// HTTP/1.1 where HTTP/2 was agreed on.
    public static let http1InHTTP2 = Self(on: .stream, [.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood")])

    // MARK: Settings

    /// No stream may be opened, and whichever was opened before that was known is refused.
    public static let noStreams = http2(settings: .settings((number: 3, value: 0)), [.resetStream(error: 7)])
    /// No byte of a body may be sent, ever.
    public static let closedWindow = http2(settings: .settings((number: 4, value: 0)), [])
    /// An answer to a request of whose body no byte may be sent, where no other stream may be open.
    public static let answerAtClosedWindow = http2(
        settings: .settings((number: 3, value: 1), (number: 4, value: 0)), [head, .data("good", .endStream)])
    /// A window larger than there can be.
    public static let overlargeWindow = http2(settings: .settings((number: 4, value: 0x8000_0000)), [])
    /// A frame size smaller than any may be.
    public static let tinyFrames = http2(settings: .settings((number: 5, value: 1)), [])
    /// No settings at all, but a response.
    public static let noSettings = Self(on: .stream, [.frames([head, .data("good", .endStream)])], ending: .silence)
}
