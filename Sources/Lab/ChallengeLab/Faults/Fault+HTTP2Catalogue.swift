// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Fault {
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
