// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How the lines of a response's head may end (RFC 9112 section 2.2).
///
/// Chunk sizes and trailers always end in CR LF: they decide where a message ends, and two readers that disagree there take one
/// message for two.
enum HeadLineEnding: Hashable, Sendable {
    case carriageReturnLineFeed
    /// CR LF or LF, also mixed: devices exist whose server and whose scripts end lines differently.
    case lineFeed
}

/// What HTTP/1.1 takes from the session's configuration.
struct HTTP1Settings: Sendable {
    let idleTimeout: Duration
    let lineEnding: HeadLineEnding

    init(_ configuration: Session.Configuration) {
        idleTimeout = configuration.idleTimeout
        lineEnding = configuration.allowsBareLineFeeds ? .lineFeed : .carriageReturnLineFeed
    }
}
