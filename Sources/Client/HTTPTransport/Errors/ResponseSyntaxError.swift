// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why bytes are no response of HTTP/1.
enum ResponseSyntaxError: Error, Hashable {
    case malformed(MalformedResponse)
    case headTooLarge
    case tooManyFields
    /// They come where no response is awaited: after a whole one, say (CWE-113).
    case unasked
}
