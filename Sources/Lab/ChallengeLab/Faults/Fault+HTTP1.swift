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

    /// A field of 1 MiB in an otherwise correct response.
    public static let hugeHeader = Self([
        .send("HTTP/1.1 200 OK\r\nX-Long: "), .flood(String(repeating: "a", count: 1 << 10), times: 1 << 10),
        .send("\r\nContent-Length: 0\r\n\r\n"),
    ])
    /// A field's value that never ends.
    public static let endlessField = endless("HTTP/1.1 200 OK\r\nX-Long: ", "a")
    /// A field's name that never ends.
    public static let endlessFieldName = endless("HTTP/1.1 200 OK\r\n", "a")
    /// White space before a field's value that never ends.
    public static let endlessSpace = endless("HTTP/1.1 200 OK\r\nX-Long:", " ")
    /// A status line that never ends.
    public static let endlessReason = endless("HTTP/1.1 200 ", "a")
    /// Endless empty lines in place of a status line.
    public static let endlessEmptyLines = endless("", "\r\n")
    /// Endless small fields.
    public static let endlessFields = endless("HTTP/1.1 200 OK\r\n", "X: y\r\n")
    /// A correct response with a hundred thousand small fields.
    public static let manyFields = Self([
        .send("HTTP/1.1 200 OK\r\n"), .flood("X: y\r\n", times: 100_000), .send("Content-Length: 0\r\n\r\n"),
    ])
    /// Endless interim responses (RFC 9110 section 15.2).
    public static let endlessInterim = endless("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
    /// An interim response whose fields do not end.
    public static let endlessInterimFields = endless("HTTP/1.1 103 Early Hints\r\n", "Link: </a>\r\n")
    /// A 101 response, which switches to a protocol that the client did not request (RFC 9110 section 15.2.2).
    public static let unaskedUpgrade = response(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: chat\r\n\r\nhello")

    /// Something over and over, in pieces that fill a packet.
    static func endless(_ start: String, _ piece: String) -> Self {
        Self([.send(start), .flood(String(repeating: piece, count: 4_096 / piece.utf8.count), times: nil)])
    }

    /// A greeting of SMTP as soon as the connection is open, where TLS or HTTP was expected.
    public static let notTLS = Self(on: .connection, [.send("220 mail.test ESMTP\r\n")])
    /// A response of plain HTTP to a TLS ClientHello, as web servers send it.
    public static let plainHTTP = Self(
        on: .bytes, [.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")])
    /// A TLS alert, where HTTP was expected (RFC 8446 section 6).
    public static let alert = Self([.send([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28])])
    /// A preface of HTTP/2 without an agreement on it, where HTTP/1.1 was expected.
    public static let unaskedHTTP2 = Self([.frames([.settings(), .goAway(lastStream: 0, error: 0)])])

    /// Makes endless random bytes.
    ///
    /// - Parameters:
    ///   - seed: The seed, which determines the bytes.
    ///   - cue: The event after which they are sent.
    /// - Returns: The fault.
    public static func rubbish(seed: UInt64, on cue: Cue = .bytes) -> Self {
        var state = seed
        let bytes = (0..<1_024).map { _ in
            // Knuth's linear congruential generator (MMIX): no secret depends on it.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        return Self(on: cue, [.flood(bytes, times: nil)])
    }

    /// A 401 response whose challenge has a malformed syntax (RFC 9110 section 11.6.1).
    public static let malformedChallenge = response(
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: =\"?\r\nContent-Length: 0\r\n\r\n")
    /// A 401 response whose Digest challenge has no nonce (RFC 7616 section 3.3).
    public static let challengeWithoutNonce = response(
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"r\"\r\nContent-Length: 0\r\n\r\n")
    /// A redirect to a URL of the scheme gopher.
    public static let redirectToNowhere = response(
        "HTTP/1.1 302 Found\r\nLocation: gopher://a.test/\r\nContent-Length: 0\r\n\r\n")
    /// A redirect to `/`, which is answered with the same redirect.
    public static let redirectToItself = response(
        "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}
