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
}
