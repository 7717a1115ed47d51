// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why a stream or a connection is ended (RFC 9113 section 7).
package struct HTTP2ErrorCode: Hashable, Sendable {
    /// The code on the wire.
    package let rawValue: UInt32

    static let noError = Self(rawValue: 0x0)
    static let protocolError = Self(rawValue: 0x1)
    static let internalError = Self(rawValue: 0x2)
    static let flowControlError = Self(rawValue: 0x3)
    static let streamClosed = Self(rawValue: 0x5)
    static let frameSizeError = Self(rawValue: 0x6)
    static let refusedStream = Self(rawValue: 0x7)
    /// CANCEL: the stream is no longer needed.
    package static let cancel = Self(rawValue: 0x8)
    static let compressionError = Self(rawValue: 0x9)
    static let enhanceYourCalm = Self(rawValue: 0xb)
}

/// Why a connection cannot be used any more (RFC 9113 section 5.4.1).
package enum HTTP2ConnectionError: Error, Hashable {
    /// The server broke the protocol; the code goes into the GOAWAY frame.
    case violation(HTTP2ErrorCode)
    /// The header list of a response is larger than the announced limit (RFC 9113 section 10.5.1).
    case headTooLarge
    /// The server answered the connection preface with something other than HTTP/2 (RFC 9113 section 3.4).
    case notHTTP2
}

/// Why a stream ended before its response was complete (RFC 9113 section 5.4.2).
package enum HTTP2StreamError: Error, Hashable {
    /// The server sent RST_STREAM.
    case reset(StreamReset)
    /// The server sent GOAWAY, and did not process the stream (RFC 9113 section 6.8).
    case notProcessed
    /// The response is malformed (RFC 9113 section 8.1.1).
    case malformed
    /// The value of `:status` is not a status code.
    case malformedStatus
}
