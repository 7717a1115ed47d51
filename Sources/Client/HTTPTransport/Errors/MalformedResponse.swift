// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The defect of a response.
public enum MalformedResponse: Hashable, Sendable {
    /// The status line is malformed (RFC 9112 section 4).
    case statusLine
    /// The response is a record of TLS (RFC 8446 section 5.1): the port expects TLS, and plain http was sent.
    case tls
    /// A header field or a trailer field is malformed (RFC 9112 section 5).
    case headerField
    /// A line of the head ends in LF instead of CR LF (RFC 9112 section 2.2).
    ///
    /// `Session.Configuration.allowsBareLineFeeds` accepts that.
    case bareLineFeed
    /// A line of the chunked framing or of the trailer ends in LF instead of CR LF, which is never accepted.
    case bareLineFeedInChunk
    /// The length of the body is contradictory (RFC 9112 section 6), or bytes arrived that belong to no response.
    case framing
    /// The size or the end of a chunk is malformed (RFC 9112 section 7.1).
    case chunk
    /// The frames or the fields break HTTP/2 (RFC 9113).
    case http2
}

/// Why bytes are no response of HTTP/1.
enum ResponseSyntaxError: Error, Hashable {
    case malformed(MalformedResponse)
    case headTooLarge
    case tooManyFields
    /// They come where no response is awaited: after a whole one, say (CWE-113).
    case unasked
}

/// The bounds of the head of a response.
package enum HeadLimit {
    /// The largest head, in bytes, all fields together.
    package static let size = 256 * 1024
    /// The largest number of fields of a head or a trailer of HTTP/1.1.
    static let fieldCount = 1_000
}
