// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Fault {
    /// Faults that are worth a try at a desk, each by the name that ``LabServer/Kind/plainHTTP`` has it under.
    public static let ofHTTP1: [(name: String, fault: Fault)] = [
        ("slow", slow(by: .milliseconds(500))),
        ("drip", drip(every: .seconds(1))),
        ("endless-drip-in-head", endlessDripInHead(every: .seconds(1))),
        ("endless-drip-in-body", endlessDripInBody(every: .seconds(1))),
        ("silence", silence), ("silence-in-head", silenceInHead), ("silence-in-body", silenceInBody),
        ("reset", reset), ("closed", closed),
        ("reset-in-head", ending(at: 20, by: .reset)), ("reset-in-body", resetInUnboundedBody),
        ("cut-in-body", cutInUnboundedBody),
        ("rubbish", rubbish(seed: 1)), ("tls-alert", alert), ("unasked-http2", unaskedHTTP2),
        ("malformed-challenge", malformedChallenge), ("challenge-without-nonce", challengeWithoutNonce),
        ("redirect-to-nowhere", redirectToNowhere), ("redirect-to-itself", redirectToItself),
        ("short-body", shortBody), ("long-body", longBody), ("largest-length", largestLength),
        ("negative-length", length("-1")), ("overflowing-length", length("18446744073709551616")),
        ("two-lengths", twoLengths), ("length-and-chunks", lengthAndChunks),
        ("huge-field", hugeHeader), ("endless-field", endlessField), ("endless-field-name", endlessFieldName),
        ("endless-fields", endlessFields), ("many-fields", manyFields), ("endless-space", endlessSpace),
        ("endless-reason", endlessReason), ("endless-empty-lines", endlessEmptyLines),
        ("endless-interim", endlessInterim), ("endless-interim-fields", endlessInterimFields),
        ("unasked-upgrade", unaskedUpgrade),
        ("cut-off-chunk", cutOffChunk), ("rubbish-chunk", rubbishChunk), ("overflowing-chunk", overflowingChunk),
        ("largest-chunk", largestChunk), ("long-chunk", longChunk), ("endless-chunk-size", endlessChunkSize),
        ("endless-chunk-extension", endlessChunkExtension), ("tiny-chunks", tinyChunks),
        ("wasteful-chunks", wastefulChunks), ("endless-chunks", endlessChunks),
        ("endless-trailer", endlessTrailer), ("endless-trailers", endlessTrailers), ("rubbish-trailer", rubbishTrailer),
        ("rubbish-status-line", rubbishStatusLine), ("http-0.9", bodyWithoutHead),
        ("http-2.0", statusLine("HTTP/2.0 200 OK")), ("status-000", statusLine("HTTP/1.1 000 No")),
        ("folded-field", fieldLine(" X: folded")), ("space-before-colon", fieldLine("X : space")),
        ("bare-cr", fieldLine("X: a\rb")), ("nul", fieldLine("X: a\u{0}b")),
        ("chunked-identity", transferCoding("chunked, identity")),
        ("two-responses", twoResponses), ("response-and-a-half", oneResponseAndAHalf),
        ("late-response", lateSecondResponse(after: .milliseconds(100))),
    ]
}
