// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How the lines of a response's head may end (RFC 9112 section 2.2).
///
/// Chunk sizes and trailers always end in CR LF: they decide where a message ends, and two readers that disagree there take one
/// message for two.
package enum HeadLineEnding: Hashable, Sendable {
    case carriageReturnLineFeed
    /// CR LF or LF, also mixed: devices exist whose server and whose scripts end lines differently.
    case lineFeed
}
