// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes

extension FaultRow {
    static let ofHTTP2: [FaultRow] = [floods, ends, heads.map(\.kept), frames.map(\.kept), settings].flatMap { $0 }
        .map(\.overTLS)

    /// One by which the client knows that the server does not speak HTTP/2 as it must.
    private static func broken(_ name: String, _ fault: Fault) -> FaultRow {
        FaultRow(
            name, fault,
            .failsAs([
                "malformedResponse.http2", "malformedResponse.statusLine", "malformedResponse.framing",
                // The client itself resets a stream for what is only the stream's fault: PROTOCOL_ERROR, STREAM_CLOSED.
                "streamReset.1", "streamReset.5",
                // What the server has closed by then may be noticed first.
                "connectionLost.request", "connectionLost.response",
            ]))
    }

    private static let floods = [
        broken("settings without end", .settingsFlood),
        broken("pings without end", .pingFlood),
        broken("empty DATA without end", .emptyDataFlood),
        broken("a head without end", .continuationFlood),
        broken("empty CONTINUATION without end", .emptyContinuationFlood),
        broken("PRIORITY without end", .priorityFlood),
        FaultRow("resets without end", .resetFlood, .failsAs(["streamReset.8", "malformedResponse.http2"])),
        FaultRow(
            "WINDOW_UPDATE without end", .windowUpdateFlood, .failsAs(["malformedResponse.http2", "truncatedBody"])),
        broken("interim responses without end", .interimFlood),
        broken("unknown frames without end", .unknownFrameFlood),
        FaultRow("DATA beyond the window", .dataBeyondWindow, .failsAs(["bodyTooLarge", "malformedResponse.http2"])),
        broken("padding without end", .paddingFlood),
    ]

    /// Nothing was done with the request, and each further connection says so too.
    private static let goneAway: Set = [
        "connectionLost.request", "connectionLost.response", "streamReset.7", "streamReset.8",
    ]

    private static let ends = [
        FaultRow("an internal error", .streamReset(error: 2), .fails("streamReset.2")).kept,
        FaultRow("refused", .streamReset(error: 7), .fails("streamReset.7")).kept,
        FaultRow("cancelled", .streamReset(error: 8), .fails("streamReset.8")).kept,
        FaultRow("enough of that", .streamReset(error: 11), .fails("streamReset.11")).kept,
        FaultRow("a reset in DATA", .resetInData, .fails("streamReset.2")).kept,
        FaultRow("GOAWAY at once", .goAwayAtOnce, .failsAs(goneAway)),
        FaultRow("GOAWAY in advance", .goAwayInAdvance, .failsAs(goneAway)),
        FaultRow("GOAWAY in DATA", .goAwayInData, .fails("truncatedBody")),
        FaultRow("an end in DATA", .closeInData, .fails("truncatedBody")),
        FaultRow("a reset of the connection in DATA", .resetConnectionInData, .fails("truncatedBody")),
        silent("silence", .silentStream, "timedOut.response").kept,
        silent("silence in DATA", .silentData, "timedOut.body").kept,
    ]

    private static let heads = [
        FaultRow("a huge head", .hugeHeadOfHTTP2, .failsAs(["headTooLarge", "malformedResponse.http2"])),
        FaultRow("a head bomb", .headBomb, .failsAs(["headTooLarge", "malformedResponse.http2"])),
        broken("a reference to nothing", .rubbishHPACK),
        broken("no status", .headOfHTTP2(("x", "y"))),
        broken("two statuses", .headOfHTTP2((":status", "200"), (":status", "200"))),
        broken("a status after a field", .headOfHTTP2(("x", "y"), (":status", "200"))),
        broken("a pseudo-field of a request", .headOfHTTP2((":status", "200"), (":path", "/"))),
        broken("an unknown pseudo-field", .headOfHTTP2((":status", "200"), (":x", "y"))),
        broken("a name in capitals", .headOfHTTP2((":status", "200"), ("X", "y"))),
        broken("a field of HTTP/1.1", .headOfHTTP2((":status", "200"), ("connection", "close"))),
        broken("a transfer coding", .headOfHTTP2((":status", "200"), ("transfer-encoding", "chunked"))),
        broken("a line's end in a value", .headOfHTTP2((":status", "200"), ("x", "a\r\nb: c"))),
        broken("NUL in a value", .headOfHTTP2((":status", "200"), ("x", "a\u{0}b"))),
        broken("an empty name", .headOfHTTP2((":status", "200"), ("", "y"))),
        broken("status 000", .headOfHTTP2((":status", "000"))),
        broken("status 1000", .headOfHTTP2((":status", "1000"))),
        broken("status 2x0", .headOfHTTP2((":status", "2x0"))),
        broken("status 101", .headOfHTTP2((":status", "101"))),
        broken("a length too short", .lengthMismatch("3")),
        broken("a length too long", .lengthMismatch("5")),
        broken("a negative length", .lengthMismatch("-1")),
        broken("an overflowing length", .lengthMismatch("18446744073709551616")),
        broken("a status in trailers", .pseudoFieldInTrailers),
        broken("DATA before a head", .dataWithoutHead),
        broken("two heads", .twoHeads),
    ]

    private static let frames = [
        broken("a push", .unaskedPush),
        broken("a window that overflows", .windowOverflow),
        silent("a stream's window that overflows", .streamWindowOverflow, "timedOut.response"),
        broken("an update of nothing", .emptyWindowUpdate),
        broken("a huge frame", .hugeFrame),
        broken("a frame that lies", .lyingFrame),
        broken("a short ping", .shortPing),
        broken("settings of a stream", .settingsOnStream),
        broken("half a setting", .halfASetting),
        broken("a stray CONTINUATION", .strayContinuation),
        broken("an interrupted head", .interruptedHead),
        broken("too much padding", .overlongPadding),
        broken("DATA of no stream", .dataOnConnection),
        broken("a head on an even stream", .headOnEvenStream),
        broken("a head on an idle stream", .headOnIdleStream),
        FaultRow("DATA on a closed stream", .dataOnClosedStream, .body("good")).kept,
        broken("HTTP/1.1", .http1InHTTP2),
    ]

    private static let settings = [
        FaultRow("no streams", .noStreams, .failsAs(["noConnectionFree", "streamReset.7", "timedOut.response"])) {
            $0.poolTimeout = .seconds(2)
            $0.idleTimeout = .seconds(3)
        }.kept,
        FaultRow("a closed window", .closedWindow, .failsAs(["timedOut.request", "timedOut.response"]), method: .post) {
            $0.idleTimeout = .seconds(3)
        }.kept,
        broken("an overlarge window", .overlargeWindow),
        broken("tiny frames", .tinyFrames),
        broken("no settings", .noSettings),
    ]
}
