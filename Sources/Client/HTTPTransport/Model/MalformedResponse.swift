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

/// Why a server ended a stream of HTTP/2 before its response was complete (RFC 9113 section 7).
public struct StreamReset: Hashable, Sendable {
    /// The error code of RST_STREAM.
    public let code: UInt32

    /// Makes a reason from the error code of RST_STREAM.
    public init(code: UInt32) {
        self.code = code
    }

    /// The server did not process the request (REFUSED_STREAM, RFC 9113 section 8.7).
    public static let refused = Self(code: 7)
    /// The server requires HTTP/1.1 for the request (HTTP_1_1_REQUIRED).
    public static let http1Required = Self(code: 13)

    /// The name of the error code, such as `PROTOCOL_ERROR`; the number of a code that RFC 9113 does not define.
    public var name: String { code.nameOfHTTP2Error }
}

/// Why a server ended a connection of HTTP/2 (GOAWAY, RFC 9113 section 6.8).
public struct GoAway: Hashable, Sendable {
    /// The error code of GOAWAY.
    public let code: UInt32
    /// The beginning of the debug data, which is the server's and may hold any character; empty if there is none.
    public let debugData: String

    /// Makes a reason from the error code and the debug data of GOAWAY.
    public init(code: UInt32, debugData: String = "") {
        (self.code, self.debugData) = (code, debugData)
    }

    /// The name of the error code, such as `ENHANCE_YOUR_CALM`; the number of a code that RFC 9113 does not define.
    public var name: String { code.nameOfHTTP2Error }

    /// Whether the server requires HTTP/1.1 (HTTP_1_1_REQUIRED).
    public var requiresHTTP1: Bool { code == StreamReset.http1Required.code }

    /// Whether it says more than that the server takes no further request.
    var isTelling: Bool { code != 0 || !debugData.isEmpty }
}

extension UInt32 {
    /// The name of an error code of HTTP/2 (RFC 9113 section 7), or its number.
    fileprivate var nameOfHTTP2Error: String {
        let names = [
            "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
            "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
            "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
        ]
        return self < names.count ? names[Int(self)] : "\(self)"
    }
}
