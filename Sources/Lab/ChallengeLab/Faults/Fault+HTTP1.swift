// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Fault {
    /// A connection that is reset at the client's first bytes.
    public static let reset = Self(on: .bytes, termination: .reset)
    /// A connection that is closed at the client's first bytes, without a response.
    public static let closed = Self(on: .bytes)
    /// No response, on a connection that stays open.
    public static let silence = Self(on: .bytes, termination: .silence)
    /// Half of a header block, on a connection that stays open.
    public static let silenceInHead = response("HTTP/1.1 200 OK\r\nContent-Le", termination: .silence)
    /// Half of a body, on a connection that stays open.
    public static let silenceInBody = response(
        "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf", termination: .silence)

    /// Returns a correct response with a delay before and within the header block, and before and within the body.
    public static func slow(by delay: Duration) -> Self {
        Self(
            [
                .pause(delay), .send("HTTP/1.1 200 OK\r\nContent-"), .pause(delay), .send("Length: 4\r\n\r\n"),
                .pause(delay), .send("go"), .pause(delay), .send("od"),
            ], termination: .silence)
    }

    /// Returns a correct response that is sent byte by byte.
    public static func drip(every interval: Duration) -> Self {
        Self([.drip("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood", every: interval)], termination: .silence)
    }

    /// Returns an endless header field that is sent byte by byte.
    public static func endlessDripInHead(every interval: Duration) -> Self {
        Self([.send("HTTP/1.1 200 OK\r\nX: "), .drip("a", every: interval, times: nil)], termination: .silence)
    }

    /// Returns an endless body that is sent byte by byte.
    public static func endlessDripInBody(every interval: Duration) -> Self {
        Self([.send("HTTP/1.1 200 OK\r\n\r\n"), .drip("a", every: interval, times: nil)], termination: .silence)
    }

    /// Returns the correct response ``completeResponse``, truncated after a number of bytes.
    ///
    /// - Parameters:
    ///   - position: The number of bytes to send, limited to the valid range.
    ///   - termination: The termination of the connection.
    /// - Returns: The fault.
    public static func termination(at position: Int, by termination: Termination) -> Self {
        Self([.send(Array(completeResponse.prefix(max(0, position))))], termination: termination)
    }

    /// The response that ``termination(at:by:)`` truncates, which has a header block and a chunked body with a
    /// trailer field.
    public static let completeResponse = Array(
        """
        HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n\
        4;x=y\r\ngood\r\n0\r\nX-End: yes\r\n\r\n
        """.utf8)

    /// A connection that is reset in a body without a length, which only closing the connection would complete.
    public static let resetInUnboundedBody = response("HTTP/1.1 200 OK\r\n\r\nhalf", termination: .reset)
    /// A connection that is closed in a body without a length, without a TLS close_notify alert (RFC 8446 section 6.1).
    public static let cutInUnboundedBody = response("HTTP/1.1 200 OK\r\n\r\nhalf", termination: .cut)

    /// A field of 1 MiB in an otherwise correct response.
    public static let hugeHeader = Self([
        .send("HTTP/1.1 200 OK\r\nX-Long: "), .flood(String(repeating: "a", count: 1 << 10), times: 1 << 10),
        .send("\r\nContent-Length: 0\r\n\r\n"),
    ])
    /// An endless field value.
    public static let endlessField = endless("HTTP/1.1 200 OK\r\nX-Long: ", "a")
    /// An endless field name.
    public static let endlessFieldName = endless("HTTP/1.1 200 OK\r\n", "a")
    /// Endless white space before a field value.
    public static let endlessSpace = endless("HTTP/1.1 200 OK\r\nX-Long:", " ")
    /// An endless status line.
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
    /// An interim response with endless fields.
    public static let endlessInterimFields = endless("HTTP/1.1 103 Early Hints\r\n", "Link: </a>\r\n")
    /// A 101 response that switches to a protocol that the client did not request (RFC 9110 section 15.2.2).
    public static let unsolicitedUpgrade = response(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: chat\r\n\r\nhello")

    /// Returns a fault that repeats a text endlessly, in pieces that fill a packet.
    static func endless(_ start: String, _ piece: String) -> Self {
        Self([.send(start), .flood(String(repeating: piece, count: 4_096 / piece.utf8.count), times: nil)])
    }

    /// An SMTP greeting in place of TLS or HTTP, sent as soon as the connection is open.
    public static let notTLS = Self(on: .connection, [.send("220 mail.test ESMTP\r\n")])
    /// A plain HTTP response to a TLS ClientHello, as web servers send it.
    public static let plainHTTP = Self(
        on: .bytes, [.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")])
    /// A TLS alert in place of an HTTP response (RFC 8446 section 6).
    public static let alert = Self([.send([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28])])
    /// HTTP/2 frames in place of an HTTP/1.1 response, although HTTP/2 was not negotiated.
    public static let unsolicitedHTTP2 = Self([.frames([.settings(), .goAway(lastStream: 0, error: 0)])])

    /// Returns endless random bytes.
    ///
    /// - Parameters:
    ///   - seed: The seed, which determines the bytes.
    ///   - cue: The event after which they are sent.
    /// - Returns: The fault.
    public static func rubbish(seed: UInt64, on cue: Cue = .bytes) -> Self {
        var state = seed
        let bytes = (0..<1_024).map { _ in
            // Knuth's linear congruential generator (MMIX). The bytes are not secret.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        return Self(on: cue, [.flood(bytes, times: nil)])
    }

    /// A 401 response whose challenge is malformed (RFC 9110 section 11.6.1).
    public static let malformedChallenge = response(
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: =\"?\r\nContent-Length: 0\r\n\r\n")
    /// A 401 response whose Digest challenge has no nonce (RFC 7616 section 3.3).
    public static let challengeWithoutNonce = response(
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"r\"\r\nContent-Length: 0\r\n\r\n")
    /// A redirect to a URL with the scheme gopher.
    public static let redirectToNowhere = response(
        "HTTP/1.1 302 Found\r\nLocation: gopher://a.test/\r\nContent-Length: 0\r\n\r\n")
    /// A redirect to `/`, which sends the same redirect again.
    public static let redirectToItself = response(
        "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}
