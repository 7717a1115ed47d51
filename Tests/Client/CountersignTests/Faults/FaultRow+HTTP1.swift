// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign

extension FaultRow {
    static let ofHTTP1: [FaultRow] = [silences, rubbish, lengths, heads, chunks, smuggling].flatMap { $0 }

    private static let silences = [
        FaultRow("slow", .slow(by: .milliseconds(50)), .body("good")).keepingConnection,
        FaultRow("byte by byte", .drip(every: .milliseconds(5)), .body("good")).keepingConnection,
        FaultRow("byte by byte", .drip(every: .milliseconds(5)), .body("good")).overTLS.keepingConnection,
        FaultRow("a reset", .reset, .fails("connection.lost.response")),
        FaultRow("a reset instead of TLS", .reset, .fails("connection.lost.handshake")).overTLS,
        FaultRow("a close", .closed, .fails("connection.lost.response")),
        FaultRow("a close instead of TLS", .closed, .fails("connection.lost.handshake")).overTLS,
        silent("silence", .silence, "limit.idle-time.response"),
        silent("silence instead of TLS", .silence, "limit.idle-time.handshake", usesTLS: true),
        silent("silence in the head", .silenceInHead, "limit.idle-time.response"),
        silent("silence in the body", .silenceInBody, "limit.idle-time.body"),
        silent("bytes at too long intervals", .drip(every: .seconds(20)), "limit.idle-time.response"),
        FaultRow("a reset in an unbounded body", .resetInUnboundedBody, .fails("body.truncated")),
        FaultRow("a reset in an unbounded body", .resetInUnboundedBody, .fails("body.truncated")).overTLS,
        FaultRow("a close without close_notify in an unbounded body", .cutInUnboundedBody, .fails("body.truncated"))
            .overTLS,
    ]

    private static let rubbish =
        [
            FaultRow("a TLS alert", .alert, .fails("response.tls")),
            FaultRow("HTTP/2 without negotiation", .unsolicitedHTTP2, .fails("response.malformed.statusLine")),
            FaultRow(
                "another protocol", .notTLS, .fails("response.malformed.greeting(\"SMTP or FTP\")")),
            FaultRow("another protocol instead of TLS", .notTLS, .fails("tls.not-tls")).overTLS,
            FaultRow("HTTP instead of TLS", .plainHTTP, .fails("tls.not-tls")).overTLS,
            FaultRow("a malformed challenge", .malformedChallenge, .body("")),
            FaultRow("a challenge without its nonce", .challengeWithoutNonce, .body("")),
            FaultRow("a redirect to nowhere", .redirectToNowhere, .fails("redirect.invalid")),
            FaultRow("a redirect to itself", .redirectToItself, .fails("redirect.loop")),
        ]
        + (0..<8).flatMap { seed in
            [
                FaultRow("rubbish \(seed)", .rubbish(seed: seed), .fails("response.malformed.statusLine")),
                FaultRow(
                    "rubbish \(seed)", .rubbish(seed: seed, on: .request), .fails("response.malformed.statusLine")
                )
                .overTLS,
            ]
        }

    private static let lengths =
        [
            FaultRow("a short body", .shortBody, .fails("body.truncated")),
            FaultRow("a short body", .shortBody, .fails("body.truncated")).overTLS,
            FaultRow("a long body", .longBody, .body("good")),
            FaultRow("the largest length", .largestLength, .fails("body.truncated")),
            FaultRow("two lengths", .twoLengths, .fails("response.malformed.headerField")),
            FaultRow("a length and chunks", .lengthAndChunks, .fails("response.malformed.headerField")),
        ]
        + ["-1", "+5", "18446744073709551616", "9223372036854775808", "5,6", "5 6", "0x5", "five", "", "5;", "٥"].map {
            FaultRow("a length of '\($0)'", .length($0), .fails("response.malformed.headerField"))
        }

    /// A field section of 1,001 fields, whose total size is small.
    private static func shortFields(_ start: String) -> Fault {
        Fault([.send(start), .flood("X: y\r\n", times: 1_001), .send("\r\n")])
    }

    private static let heads = [
        FaultRow("a huge field", .hugeHeader, .fails("limit.head-size")),
        FaultRow("an endless field", .endlessField, .fails("limit.head-size")),
        FaultRow("an endless field", .endlessField, .fails("limit.head-size")).overTLS,
        FaultRow("an endless field name", .endlessFieldName, .fails("limit.head-size")),
        FaultRow("endless fields", .endlessFields, .fails("limit.head-size")),
        FaultRow("fields over the head size limit", .manyFields, .fails("limit.head-size")),
        FaultRow("too many short fields", shortFields("HTTP/1.1 200 OK\r\n"), .fails("limit.field-count")),
        FaultRow(
            "too many short fields in a trailer",
            shortFields("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngood\r\n0\r\n"),
            .fails("limit.field-count")),
        FaultRow("endless whitespace", .endlessSpace, .fails("limit.head-size")),
        FaultRow("an endless reason phrase", .endlessReason, .fails("limit.head-size")),
        FaultRow("endless empty lines", .endlessEmptyLines, .fails("response.malformed.statusLine")),
        FaultRow(
            "endless interim responses", .endlessInterim, .fails("response.malformed.framing")),
        FaultRow("an endless interim response", .endlessInterimFields, .fails("limit.head-size")),
        FaultRow("an unrequested upgrade", .unsolicitedUpgrade, .fails("response.malformed.framing")),
    ]

    private static let chunks = [
        FaultRow("a truncated chunk", .cutOffChunk, .fails("body.truncated")),
        FaultRow("a chunk without a size", .rubbishChunk, .fails("response.malformed.chunk")),
        FaultRow("a chunk size that overflows", .overflowingChunk, .fails("response.malformed.chunk")),
        FaultRow("the largest chunk", .largestChunk, .fails("response.malformed.chunk")),
        FaultRow("a negative chunk", .chunk(size: "-4"), .fails("response.malformed.chunk")),
        FaultRow("a chunk size with a prefix", .chunk(size: "0x4"), .fails("response.malformed.chunk")),
        FaultRow("a chunk size after a space", .chunk(size: " 4"), .fails("response.malformed.chunk")),
        FaultRow("a chunk without any size", .chunk(size: ""), .fails("response.malformed.chunk")),
        FaultRow("a chunk size that ends in LF", .chunk(size: "4\n"), .fails("response.malformed.bareLineFeedInChunk")),
        FaultRow("a chunk that is too long", .longChunk, .fails("response.malformed.chunk")),
        FaultRow("an endless chunk size", .endlessChunkSize, .fails("response.malformed.chunk")),
        FaultRow("an endless chunk extension", .endlessChunkExtension, .fails("response.malformed.chunk")),
        FaultRow("tiny chunks", .tinyChunks, .body(String(repeating: "a", count: 100_000))),
        FaultRow("wasteful chunks", .wastefulChunks, .fails("response.malformed.chunk")),
        FaultRow("endless chunks", .endlessChunks, .fails("limit.body-size"), maximumSentBytes: 4 << 20),
        FaultRow("endless chunks", .endlessChunks, .fails("limit.body-size"), maximumSentBytes: 4 << 20).overTLS,
        FaultRow("an endless trailer", .endlessTrailer, .fails("limit.head-size")),
        FaultRow("endless trailers", .endlessTrailers, .fails("limit.head-size")),
        FaultRow("a malformed trailer", .rubbishTrailer, .fails("response.malformed.headerField")),
        FaultRow("a length in a trailer", .lengthInTrailer, .body("good")).keepingConnection,
    ]

    private static let smuggling =
        [
            "HTTP/0.9 200 OK", "HTTP/2.0 200 OK", "HTTP/1.10 200 OK", "HTTP/1.1 000 No", "HTTP/1.1 99 No",
            "HTTP/1.1 1000 No", "HTTP/1.1 2OO OK", "HTTP/1.1 -20 OK", "HTTP/1.1  200 OK", "HTTP/1.1\t200 OK",
            "http/1.1 200 OK", "ICY 200 OK", "HTTP/1.1 200 O\u{0}K", "HTTP/1.1 200 O\rK",
        ].map { FaultRow("status line '\($0)'", .statusLine($0), .fails("response.malformed.statusLine")) }
        + [
            "X : space", ": no name", "no colon", "X\u{0}: y", "X: a\u{0}b", "X: a\rb",
            "(X): y", "X\r\n : y", "Content-Length : 4", "Ü: y",
        ].map { FaultRow("field line '\($0)'", .fieldLine($0), .fails("response.malformed.headerField")) }
        + [
            FaultRow("a folded field", .fieldLine(" X: folded"), .body("good")),
            FaultRow("a field that is folded by a tab", .fieldLine("\tX: folded"), .body("good")),
            FaultRow("a field that is folded before an empty line", .fieldLine(" "), .body("good")),
            FaultRow("a body without a head", .bodyWithoutHead, .fails("response.malformed.statusLine")),
            FaultRow("a field that ends in LF", .fieldLine("X: a\nY: b"), .fails("response.bare-line-feed")),
            FaultRow("a field that ends in LF, if that is allowed", .fieldLine("X: a\nY: b"), .body("good")) {
                $0.allowsBareLineFeeds = true
            },
            FaultRow(
                "a chunk size that ends in LF, if LF is allowed in heads", .chunk(size: "4\n"),
                .fails("response.malformed.bareLineFeedInChunk")
            ) { $0.allowsBareLineFeeds = true },
            FaultRow("HTTP/9.9", .rubbishStatusLine, .fails("response.malformed.statusLine")),
            FaultRow(
                "chunked, identity", .transferCoding("chunked, identity"), .fails("response.malformed.headerField")),
            FaultRow("xchunked", .transferCoding("xchunked"), .fails("response.malformed.headerField")),
            FaultRow("chunked twice", .transferCoding("chunked", "chunked"), .fails("response.malformed.headerField")),
            FaultRow(
                "chunked twice in one field", .transferCoding("chunked, chunked"),
                .fails("response.malformed.headerField")),
            FaultRow("chunked in HTTP/1.0", .transferCoding("chunked", minorVersion: 0), .body("bad")),
            FaultRow("identity and a length", .fieldLine("Transfer-Encoding: Identity"), .body("good"))
                .keepingConnection,
            FaultRow("control characters in a value", .fieldLine("X: a\u{1}\u{B}\u{7F}b"), .body("good"))
                .keepingConnection,
            FaultRow("an empty location", .statusLine("HTTP/1.1 302 Found\r\nLocation:"), .body("good"))
                .keepingConnection,
            FaultRow("two responses", .twoResponses, .body("good")),
            FaultRow("two responses", .twoResponses, .body("good")).overTLS,
            FaultRow("a response and a half", .oneResponseAndAHalf, .body("good")),
            FaultRow("a response and a letter", .oneResponseAndALetter, .body("good")),
            FaultRow("chunks and half a response", .chunksAndAHalf, .body("good")),
            FaultRow("a second response, later", .lateSecondResponse(after: .milliseconds(100)), .body("good")),
            FaultRow("no content and half a response", .noContentAndAHalf, .body("")),
        ]
}
