// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes

extension FaultRow {
    static let ofHTTP2: [FaultRow] = [floods, ends, heads.map(\.kept), frames.map(\.kept), settings].flatMap { $0 }
        .map(\.overTLS)

    /// Returns a row for a violation of HTTP/2 that ends the connection.
    private static func broken(
        _ name: String, _ fault: Fault, _ error: String = "response.malformed.http2"
    ) -> FaultRow {
        FaultRow(name, fault, .fails(error))
    }

    private static let floods = [
        broken("settings without end", .settingsFlood),
        broken("pings without end", .pingFlood),
        broken("empty DATA without end", .emptyDataFlood),
        broken("a head without end", .continuationFlood),
        broken("empty CONTINUATION without end", .emptyContinuationFlood),
        broken("PRIORITY without end", .priorityFlood),
        FaultRow("resets without end", .resetFlood, .fails("response.stream-reset.8")),
        broken("WINDOW_UPDATE without end", .windowUpdateFlood),
        broken("interim responses without end", .interimFlood, "response.malformed.framing"),
        broken("unknown frames without end", .unknownFrameFlood),
        // The reading speed of the body decides which limit is reached first.
        FaultRow(
            "DATA beyond the window", .dataBeyondWindow, .failsAs(["limit.body-size", "response.malformed.http2"])),
        broken("padding without end", .paddingFlood),
    ]

    private static let ends = [
        FaultRow("an internal error", .streamReset(error: 2), .fails("response.stream-reset.2")).kept,
        FaultRow("refused", .streamReset(error: 7), .fails("response.stream-reset.7")).kept,
        FaultRow("cancelled", .streamReset(error: 8), .fails("response.stream-reset.8")).kept,
        FaultRow("enough of that", .streamReset(error: 11), .fails("response.stream-reset.11")).kept,
        FaultRow("a reset in DATA", .resetInData(error: 2), .fails("response.stream-reset.2")).kept,
        FaultRow("refused in DATA", .resetInData(error: 7), .fails("response.stream-reset.7")).kept,
        FaultRow("HTTP/1.1 wanted in DATA", .resetInData(error: 13), .fails("response.stream-reset.13")).kept,
        FaultRow("GOAWAY at once", .goAwayAtOnce, .fails("connection.lost.response")),
        // GOAWAY may arrive before or after the request is sent.
        FaultRow(
            "GOAWAY in advance", .goAwayInAdvance, .failsAs(["connection.lost.request", "connection.lost.response"])),
        FaultRow("GOAWAY in DATA", .goAwayInData, .fails("connection.go-away")),
        FaultRow("an end in DATA", .closeInData, .fails("body.truncated")),
        FaultRow("a reset of the connection in DATA", .resetConnectionInData, .fails("body.truncated")),
        silent("silence", .silentStream, "limit.idle-time.response").kept,
        silent("silence in DATA", .silentData, "limit.idle-time.body").kept,
    ]

    private static let heads = [
        broken("a huge head", .hugeHeadOfHTTP2, "limit.head-size"),
        broken("a head bomb", .headBomb, "limit.head-size"),
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
        broken("status 000", .headOfHTTP2((":status", "000")), "response.malformed.statusLine"),
        broken("status 1000", .headOfHTTP2((":status", "1000")), "response.malformed.statusLine"),
        broken("status 2x0", .headOfHTTP2((":status", "2x0")), "response.malformed.statusLine"),
        broken("status +200", .headOfHTTP2((":status", "+200")), "response.malformed.statusLine"),
        broken("status 0200", .headOfHTTP2((":status", "0200")), "response.malformed.statusLine"),
        broken("status +20", .headOfHTTP2((":status", "+20")), "response.malformed.statusLine"),
        broken("status 099", .headOfHTTP2((":status", "099")), "response.malformed.statusLine"),
        broken("status 200 with a blank", .headOfHTTP2((":status", "200 ")), "response.malformed.statusLine"),
        broken("a status in other digits", .headOfHTTP2((":status", "٢٠٠")), "response.malformed.statusLine"),
        broken("an empty status", .headOfHTTP2((":status", "")), "response.malformed.statusLine"),
        // RFC 9110 section 15: 999 is not a valid status code, but is delivered nevertheless.
        FaultRow("status 999", .headOfHTTP2((":status", "999")), .body("")),
        broken("status 101", .headOfHTTP2((":status", "101")), "response.malformed.framing"),
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
        silent("a stream's window that overflows", .streamWindowOverflow, "limit.idle-time.response"),
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
        FaultRow("no streams", .noStreams, .fails("limit.connections")) { $0.poolTimeout = .seconds(2) },
        FaultRow("no streams, and little time", .noStreams, .fails("limit.total-time.total")) {
            $0.totalTimeout = .seconds(2)
        },
        FaultRow("a closed window", .closedWindow, .fails("limit.idle-upload.request"), method: .post) {
            $0.idleTimeout = .seconds(8)
        }.kept,
        // The client must end the stream; otherwise it would block all later requests.
        FaultRow("an answer at a closed window", .answerAtClosedWindow, .body("good"), method: .post).kept,
        broken("an overlarge window", .overlargeWindow),
        broken("tiny frames", .tinyFrames),
        broken("no settings", .noSettings),
    ]
}
