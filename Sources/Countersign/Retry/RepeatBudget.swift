// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Bounds how often one request is sent again without a retry policy's say.
///
/// The session repeats a request by itself where the server has not processed it (GOAWAY and REFUSED_STREAM, RFC 9113 sections
/// 6.8 and 8.7; HTTP_1_1_REQUIRED) and where a pooled connection was lost (RFC 9112 section 9.3.1). One budget serves the request
/// through all its redirects, challenges and retries. Otherwise a server could multiply each retry by the number of repeats.
struct RepeatBudget: Sendable {
    /// How often one request is repeated; ``RetryPolicy`` documents the number.
    static let limit = 4

    private var left = limit

    /// Takes one repeat.
    ///
    /// - Returns: Whether there was one left.
    mutating func take() -> Bool {
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}
