// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Fault {
    /// An answer with which nothing is wrong.
    public static let noneOfHTTP2 = http2([.headers([(":status", "200")]), .data("good", .endStream)])

    /// Frames that answer each request, after settings without a wish.
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

    /// Settings without an end.
    public static let settingsFlood = http2Flood([.settings((number: 3, value: 100))])
    /// Questions without an end, each to be answered.
    public static let pingFlood = http2Flood([.ping])
    /// Parts of a body without a byte, without an end.
    public static let emptyDataFlood = http2Flood(after: [head], [.data("")])
    /// A head that never ends.
    public static let continuationFlood = http2Flood(
        after: [HTTP2Frame(.headers, on: .requested, HPACK.literal(":status", "200"))],
        [HTTP2Frame(.continuation, on: .requested, HPACK.literal("x", "y"))])
    /// The same of nothing at all.
    public static let emptyContinuationFlood = http2Flood(
        after: [HTTP2Frame(.headers, on: .requested, HPACK.literal(":status", "200"))],
        [HTTP2Frame(.continuation, on: .requested)])
    /// Priorities without an end, of streams that there are not.
    public static let priorityFlood = http2Flood([HTTP2Frame(.priority, on: .number(3), [0, 0, 0, 0, 16])])
    /// Resets of the same stream without an end.
    public static let resetFlood = http2Flood([.resetStream(error: 8)])
    /// Leave to send one byte more, without an end.
    public static let windowUpdateFlood = http2Flood(after: [head], [.windowUpdate(1, on: .requested)])
    /// Interim responses without an end.
    public static let interimFlood = http2Flood([.headers([(":status", "103")])])
    /// Frames of a kind that there is not, without an end.
    public static let unknownFrameFlood = http2Flood([HTTP2Frame(.other(0xfa), on: .connection, [1, 2, 3])])
    /// More of a body than the client has left to send, without an end.
    public static let dataBeyondWindow = http2Flood(after: [head], [.data(String(repeating: "a", count: 4_096))])
    /// Padding without an end, and no byte of a body.
    public static let paddingFlood = http2Flood(
        after: [head], [HTTP2Frame(.data, .padded, on: .requested, [255] + Array(repeating: 0, count: 255))])

    // MARK: Ends

    /// Every request is reset at once, as a stream error (RFC 9113 section 5.4.2).
    public static func streamReset(error: UInt32) -> Self { http2([.resetStream(error: error)]) }
    /// A reset in the middle of a body.
    public static func resetInData(error: UInt32) -> Self { http2([head, .data("half"), .resetStream(error: error)]) }
    /// No request was seen (RFC 9113 section 6.8).
    public static let goAwayAtOnce = http2([.goAway(lastStream: 0, error: 0)], ending: .close)
    /// The same before any request.
    public static let goAwayInAdvance = Self(
        on: .stream, opening: [.frames([.settings(), .goAway(lastStream: 0, error: 0)])], ending: .close)
    /// The client did wrong, and the connection ends in the middle of a body.
    public static let goAwayInData = http2([head, .data("half"), .goAway(lastStream: 1, error: 1)], ending: .close)
    /// The connection ends in the middle of a body, without a word.
    public static let closeInData = http2([head, .data("half")], ending: .close)
    /// The same with a reset.
    public static let resetConnectionInData = http2([head, .data("half")], ending: .reset)
    /// No answer.
    public static let silentStream = http2([])
    /// A head, and no more.
    public static let silentData = http2([head])
}
