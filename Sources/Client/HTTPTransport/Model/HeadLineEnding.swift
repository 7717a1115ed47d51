// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How the lines of a response's head may end (RFC 9112 section 2.2).
///
/// Chunk sizes and trailers always end in CR LF, because they decide where a message ends: if two readers disagree about that, one of them
/// reads one message as two.
package enum HeadLineEnding: Hashable, Sendable {
    /// CR LF only.
    case carriageReturnLineFeed
    /// CR LF or LF, also mixed, because some devices have a server and scripts that end lines differently.
    case lineFeed
}
