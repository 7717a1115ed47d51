// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Fault {
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
