// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The error code of a stream or a connection (RFC 9113 section 7).
package struct HTTP2ErrorCode: Hashable, Sendable {
    /// The code on the wire.
    package let rawValue: UInt32

    static let noError = Self(rawValue: 0x0)
    static let protocolError = Self(rawValue: 0x1)
    static let internalError = Self(rawValue: 0x2)
    static let flowControlError = Self(rawValue: 0x3)
    static let frameSizeError = Self(rawValue: 0x6)
    static let refusedStream = Self(rawValue: 0x7)
    /// CANCEL: the stream is no longer needed.
    package static let cancel = Self(rawValue: 0x8)
    static let compressionError = Self(rawValue: 0x9)
    static let enhanceYourCalm = Self(rawValue: 0xb)
}

/// The reason why a connection cannot be used any more (RFC 9113 section 5.4.1).
package enum HTTP2ConnectionError: Error, Hashable {
    /// The server violated the protocol; the GOAWAY frame carries the code.
    case violation(HTTP2ErrorCode)
    /// The header list of a response is larger than the announced limit (RFC 9113 section 10.5.1).
    case headTooLarge
    /// The server answered the connection preface with something other than HTTP/2 (RFC 9113 section 3.4).
    case notHTTP2
}

/// The reason why a stream ended before its response was complete (RFC 9113 section 5.4.2).
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

/// The reason why a server ended an HTTP/2 stream before its response was complete (RFC 9113 section 7).
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

/// The reason why a server ended an HTTP/2 connection (GOAWAY, RFC 9113 section 6.8).
public struct GoAway: Hashable, Sendable {
    /// The error code of GOAWAY.
    public let code: UInt32
    /// The beginning of the server's debug data, which may contain any character; empty if there is none.
    public let debugData: String

    /// Makes a reason from the error code and the debug data of GOAWAY.
    public init(code: UInt32, debugData: String = "") {
        (self.code, self.debugData) = (code, debugData)
    }

    /// The name of the error code, such as `ENHANCE_YOUR_CALM`; the number of a code that RFC 9113 does not define.
    public var name: String { code.nameOfHTTP2Error }

    /// Whether the server requires HTTP/1.1 (HTTP_1_1_REQUIRED).
    public var requiresHTTP1: Bool { code == StreamReset.http1Required.code }

    /// Whether the frame has an error code or debug data.
    var statesReason: Bool { code != 0 || !debugData.isEmpty }
}

extension UInt32 {
    /// The name of an HTTP/2 error code (RFC 9113 section 7), or its number.
    fileprivate var nameOfHTTP2Error: String {
        let names = [
            "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
            "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
            "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
        ]
        return self < names.count ? names[Int(self)] : "\(self)"
    }
}
