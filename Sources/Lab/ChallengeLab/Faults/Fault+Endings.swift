// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Fault {
    /// A reset of the connection at the client's first bytes.
    public static let reset = Self(on: .bytes, ending: .reset)
    /// An end of the connection at the client's first bytes, without a response.
    public static let closed = Self(on: .bytes)
    /// No response, on a connection that stays open.
    public static let silence = Self(on: .bytes, ending: .silence)
    /// Half of a head, and nothing more on a connection that stays open.
    public static let silenceInHead = response("HTTP/1.1 200 OK\r\nContent-Le", ending: .silence)
    /// Half of a body, and nothing more on a connection that stays open.
    public static let silenceInBody = response("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf", ending: .silence)

    /// Makes a correct response with a delay before the head, within it, before the body and within it.
    public static func slow(by delay: Duration) -> Self {
        Self(
            [
                .pause(delay), .send("HTTP/1.1 200 OK\r\nContent-"), .pause(delay), .send("Length: 4\r\n\r\n"),
                .pause(delay), .send("go"), .pause(delay), .send("od"),
            ], ending: .silence)
    }

    /// Makes a correct response that is sent byte by byte.
    public static func drip(every interval: Duration) -> Self {
        Self([.drip("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood", every: interval)], ending: .silence)
    }

    /// Makes a field of a head that never ends, sent byte by byte.
    public static func endlessDripInHead(every interval: Duration) -> Self {
        Self([.send("HTTP/1.1 200 OK\r\nX: "), .drip("a", every: interval, times: nil)], ending: .silence)
    }

    /// Makes a body that never ends, sent byte by byte.
    public static func endlessDripInBody(every interval: Duration) -> Self {
        Self([.send("HTTP/1.1 200 OK\r\n\r\n"), .drip("a", every: interval, times: nil)], ending: .silence)
    }

    /// Makes a correct response, ``wholeResponse``, that ends after a number of bytes.
    ///
    /// - Parameters:
    ///   - position: The number of bytes that are sent; less than 0 means 0, and more than there are means all.
    ///   - ending: How the connection ends there.
    /// - Returns: The fault.
    public static func ending(at position: Int, by ending: Ending) -> Self {
        Self([.send(Array(wholeResponse.prefix(max(0, position))))], ending: ending)
    }

    /// The response of which ``ending(at:by:)`` sends the beginning: a head, and a body in chunks with a trailer field.
    public static let wholeResponse = Array(
        """
        HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n\
        4;x=y\r\ngood\r\n0\r\nX-End: yes\r\n\r\n
        """.utf8)

    /// A body without a length, which the end of the connection would complete, and then a reset.
    public static let resetInUnboundedBody = response("HTTP/1.1 200 OK\r\n\r\nhalf", ending: .reset)
    /// A body without a length, and then an end of the connection without TLS's close_notify (RFC 8446 section 6.1).
    public static let cutInUnboundedBody = response("HTTP/1.1 200 OK\r\n\r\nhalf", ending: .cut)
}
