// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes

extension FaultRow {
    static let ofHTTP2: [FaultRow] = [
        floods, ends, heads.map(\.keepingConnection), frames.map(\.keepingConnection), settings,
    ].flatMap { $0 }
        .map(\.overTLS)

    /// Returns a row for a violation of HTTP/2 that ends the connection.
    private static func broken(
        _ name: String, _ fault: Fault, _ error: String = "response.malformed.http2"
    ) -> FaultRow {
        FaultRow(name, fault, .fails(error))
    }

    private static let floods = [
        broken("endless SETTINGS", .settingsFlood),
        broken("endless PINGs", .pingFlood),
        broken("endless empty DATA", .emptyDataFlood),
        broken("an endless head", .continuationFlood),
        broken("endless empty CONTINUATION", .emptyContinuationFlood),
        broken("endless PRIORITY", .priorityFlood),
        FaultRow("endless resets", .resetFlood, .fails("response.stream-reset.8")),
        broken("endless WINDOW_UPDATE", .windowUpdateFlood),
        broken("endless interim responses", .interimFlood, "response.malformed.framing"),
        broken("endless unknown frames", .unknownFrameFlood),
        // The reading speed of the body decides which limit is reached first.
        FaultRow(
            "DATA beyond the window", .dataBeyondWindow, .failsAs(["limit.body-size", "response.malformed.http2"])),
        broken("endless padding", .paddingFlood),
    ]

    private static let ends = [
        FaultRow("an internal error", .streamReset(error: 2), .fails("response.stream-reset.2")).keepingConnection,
        FaultRow("refused", .streamReset(error: 7), .fails("response.stream-reset.7")).keepingConnection,
        FaultRow("cancelled", .streamReset(error: 8), .fails("response.stream-reset.8")).keepingConnection,
        FaultRow("ENHANCE_YOUR_CALM", .streamReset(error: 11), .fails("response.stream-reset.11")).keepingConnection,
        FaultRow("a reset in DATA", .resetInData(error: 2), .fails("response.stream-reset.2")).keepingConnection,
        FaultRow("refused in DATA", .resetInData(error: 7), .fails("response.stream-reset.7")).keepingConnection,
        FaultRow("HTTP_1_1_REQUIRED in DATA", .resetInData(error: 13), .fails("response.stream-reset.13"))
            .keepingConnection,
        FaultRow("GOAWAY at once", .goAwayAtOnce, .fails("connection.lost.response")),
        // GOAWAY may arrive before or after the request is sent.
        FaultRow(
            "GOAWAY in advance", .goAwayInAdvance, .failsAs(["connection.lost.request", "connection.lost.response"])),
        FaultRow("GOAWAY in DATA", .goAwayInData, .fails("connection.go-away")),
        FaultRow("a close in DATA", .closeInData, .fails("body.truncated")),
        FaultRow("a connection reset in DATA", .resetConnectionInData, .fails("body.truncated")),
        silent("silence", .silentStream, "limit.idle-time.response").keepingConnection,
        silent("silence in DATA", .silentData, "limit.idle-time.body").keepingConnection,
    ]

    private static let heads = [
        broken("a huge head", .hugeHeadOfHTTP2, "limit.head-size"),
        broken("a head bomb", .headBomb, "limit.head-size"),
        broken("an undefined table reference", .rubbishHPACK),
        broken("no status", .headOfHTTP2(("x", "y"))),
        broken("two statuses", .headOfHTTP2((":status", "200"), (":status", "200"))),
        broken("a status after a field", .headOfHTTP2(("x", "y"), (":status", "200"))),
        broken("a pseudo-field of a request", .headOfHTTP2((":status", "200"), (":path", "/"))),
        broken("an unknown pseudo-field", .headOfHTTP2((":status", "200"), (":x", "y"))),
        broken("an uppercase name", .headOfHTTP2((":status", "200"), ("X", "y"))),
        broken("an HTTP/1.1 field", .headOfHTTP2((":status", "200"), ("connection", "close"))),
        broken("a transfer coding", .headOfHTTP2((":status", "200"), ("transfer-encoding", "chunked"))),
        broken("a line ending in a value", .headOfHTTP2((":status", "200"), ("x", "a\r\nb: c"))),
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
        broken("a push", .unsolicitedPush),
        broken("a window that overflows", .windowOverflow),
        silent("a stream's window that overflows", .streamWindowOverflow, "limit.idle-time.response"),
        broken("a WINDOW_UPDATE of zero", .emptyWindowUpdate),
        broken("a huge frame", .hugeFrame),
        broken("a frame with a wrong length", .wrongLengthFrame),
        broken("a short ping", .shortPing),
        broken("SETTINGS on a stream", .settingsOnStream),
        broken("half a setting", .partialSetting),
        broken("a stray CONTINUATION", .strayContinuation),
        broken("an interrupted head", .interruptedHead),
        broken("too much padding", .excessivePadding),
        broken("DATA on the connection", .dataOnConnection),
        broken("a head on an even stream", .headOnEvenStream),
        broken("a head on an idle stream", .headOnIdleStream),
        FaultRow("DATA on a closed stream", .dataOnClosedStream, .body("good")).keepingConnection,
        broken("HTTP/1.1", .http1InHTTP2),
    ]

    private static let settings = [
        FaultRow("no streams", .noStreams, .fails("limit.connections"), change: { $0.poolTimeout = .seconds(8) }),
        FaultRow(
            "no streams, with a short timeout", .noStreams, .fails("limit.total-time.total"),
            limiting: { $0.timeout(total: .seconds(8)) }),
        FaultRow(
            "a closed window", .closedWindow, .fails("limit.idle-upload.request"), method: .post,
            limiting: { $0.idleTimeout(.seconds(8)) }
        ).keepingConnection,
        // The client must end the stream; otherwise it would block all later requests.
        FaultRow("a response at a closed window", .answerAtClosedWindow, .body("good"), method: .post)
            .keepingConnection,
        broken("an overlarge window", .overlargeWindow),
        broken("tiny frames", .tinyFrames),
        broken("no settings", .noSettings),
    ]
}
