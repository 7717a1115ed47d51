// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The defect of a response.
public enum MalformedResponse: Hashable, Sendable {
    case statusLine
    /// It is a record of TLS (RFC 8446 section 5.1): the port speaks TLS, and plain http was sent.
    case tls
    case headerField
    /// A line of the head ends in LF instead of CR LF (RFC 9112 section 2.2).
    ///
    /// `Session.Configuration.allowsBareLineFeeds` accepts that.
    case bareLineFeed
    /// A line of the chunked framing or of the trailer ends in LF instead of CR LF, which is never accepted.
    case bareLineFeedInChunk
    case framing
    case chunk
    /// Frames or fields that break HTTP/2.
    case http2
    case other(String)
}

/// Why a server ended a stream of HTTP/2 before its response was whole (RFC 9113 section 7).
public struct StreamReset: Hashable, Sendable {
    /// The code on the wire.
    public let code: UInt32

    /// A reason by its code on the wire.
    public init(code: UInt32) {
        self.code = code
    }

    /// The server did nothing with the request (REFUSED_STREAM).
    public static let refused = Self(code: 7)
    /// The server wants HTTP/1.1 for it (HTTP_1_1_REQUIRED).
    public static let http1Required = Self(code: 13)
}
