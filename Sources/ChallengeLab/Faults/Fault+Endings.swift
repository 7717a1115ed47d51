// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Fault {
    /// A reset as soon as the client speaks.
    public static let reset = Self(on: .bytes, ending: .reset)
    /// An end without a byte.
    public static let closed = Self(on: .bytes)
    /// Silence.
    public static let silence = Self(on: .bytes, ending: .silence)
    /// Silence in the middle of a head.
    public static let silenceInHead = response("HTTP/1.1 200 OK\r\nContent-Le", ending: .silence)
    /// Silence in the middle of a body.
    public static let silenceInBody = response("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf", ending: .silence)

    /// A good answer that makes the client wait before the head, in it and in the body.
    public static func slow(by delay: Duration) -> Self {
        Self(
            [
                .pause(delay), .send("HTTP/1.1 200 OK\r\nContent-"), .pause(delay), .send("Length: 4\r\n\r\n"),
                .pause(delay), .send("go"), .pause(delay), .send("od"),
            ], ending: .silence)
    }

    /// A good answer, byte by byte.
    public static func drip(every interval: Duration) -> Self {
        Self([.drip("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood", every: interval)], ending: .silence)
    }

    /// A field of a head that never ends, byte by byte.
    public static func endlessDripInHead(every interval: Duration) -> Self {
        Self([.send("HTTP/1.1 200 OK\r\nX: "), .drip("a", every: interval, times: nil)], ending: .silence)
    }

    /// A body that never ends, byte by byte.
    public static func endlessDripInBody(every interval: Duration) -> Self {
        Self([.send("HTTP/1.1 200 OK\r\n\r\n"), .drip("a", every: interval, times: nil)], ending: .silence)
    }

    /// A good answer that ends after so many bytes, at the latest after all of them.
    ///
    /// - Parameters:
    ///   - position: The position, in bytes from the start of the response.
    ///   - ending: How the connection ends there.
    /// - Returns: The fault.
    public static func ending(at position: Int, by ending: Ending) -> Self {
        Self([.send(Array(wholeResponse.prefix(max(0, position))))], ending: ending)
    }

    /// What ``ending(at:by:)`` sends less of: a head, and a body in chunks with a trailer, so that every part of a message is met.
    public static let wholeResponse = Array(
        """
        HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n\
        4;x=y\r\ngood\r\n0\r\nX-End: yes\r\n\r\n
        """.utf8)

    /// A body that only the connection's end would end, and a reset instead of that.
    public static let resetInUnboundedBody = response("HTTP/1.1 200 OK\r\n\r\nhalf", ending: .reset)
    /// The same, cut without TLS's word of parting.
    public static let cutInUnboundedBody = response("HTTP/1.1 200 OK\r\n\r\nhalf", ending: .cut)
}
