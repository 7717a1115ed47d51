// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The defect of a response.
@nonexhaustive
public enum MalformedResponse: Hashable, Sendable {
    /// The status line is malformed (RFC 9112 section 4).
    case statusLine
    /// The response is a TLS record (RFC 8446 section 5.1): the port expects TLS, but the client sent plain http.
    case tls
    /// The server sent the greeting of another protocol. Holds its name.
    case greeting(String)
    /// A header field or a trailer field is malformed (RFC 9112 section 5).
    case headerField
    /// A line of the head ends in LF instead of CR LF (RFC 9112 section 2.2).
    ///
    /// `HTTPSession.Configuration.allowsBareLineFeeds` accepts that.
    case bareLineFeed
    /// A line of the chunked framing or of the trailer ends in LF instead of CR LF, which is never accepted.
    case bareLineFeedInChunk
    /// The length of the body is contradictory (RFC 9112 section 6), or an interim response or an upgrade is invalid.
    case framing
    /// Bytes arrived before the request, or after a complete response.
    case unrequested
    /// The size or the end of a chunk is malformed (RFC 9112 section 7.1).
    case chunk
    /// The frames or the fields violate HTTP/2 (RFC 9113).
    case http2
}

/// The reason why bytes are not an HTTP/1 response.
enum ResponseSyntaxError: Error, Hashable {
    case malformed(MalformedResponse)
    case headTooLarge
    case tooManyFields
    /// The bytes arrived without a pending request, for example after a complete response (CWE-113).
    case unsolicited
}

/// The limits of a response head.
package enum HeadLimit {
    /// The maximum size of a head, in bytes, all fields together.
    package static let size = 256 * 1024
    /// The maximum number of fields of an HTTP/1.1 head or trailer.
    static let fieldCount = 1_000
}
