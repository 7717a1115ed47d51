// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What a server does wrong: bytes to send, and how to end.
///
/// Every fault is a value, so a table of them is a test.
public struct Fault: Hashable, Sendable {
    /// How the connection ends once the bytes are sent.
    public enum Ending: Hashable, Sendable {
        case close
        /// With a reset, as when a process dies.
        case reset
        /// Not at all: the server falls silent.
        case silence
    }

    /// Whether the bytes are sent at once, before the client has said anything.
    public let speaksFirst: Bool
    /// What is sent, whatever was asked.
    public let bytes: [UInt8]
    /// What happens after that.
    public let ending: Ending

    /// A fault of your own.
    public init(speaksFirst: Bool = false, bytes: [UInt8] = [], ending: Ending = .close) {
        self.speaksFirst = speaksFirst
        self.bytes = bytes
        self.ending = ending
    }

    private static func text(_ text: String, speaksFirst: Bool = false, ending: Ending = .close) -> Self {
        Self(speaksFirst: speaksFirst, bytes: Array(text.utf8), ending: ending)
    }

    /// A greeting of another protocol, where TLS was expected.
    public static let notTLS = text("220 mail.test ESMTP\r\n", speaksFirst: true)
    /// A plain HTTP answer to a TLS ClientHello, as a web server gives.
    public static let plainHTTP = text("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    /// A reset as soon as the client speaks.
    public static let reset = Self(ending: .reset)
    /// An end without a byte.
    public static let closed = Self()
    /// Silence.
    public static let silence = Self(ending: .silence)
    /// A status line that is none.
    public static let rubbishStatusLine = text("HTTP/9.9 OK fine\r\n\r\n")
    /// A header of a megabyte.
    public static let hugeHeader = text(
        "HTTP/1.1 200 OK\r\nX-Long: " + String(repeating: "a", count: 1 << 20) + "\r\nContent-Length: 0\r\n\r\n")
    /// A challenge that makes no sense.
    public static let malformedChallenge = text(
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: =\"?\r\nContent-Length: 0\r\n\r\n")
    /// A challenge without the nonce that it needs.
    public static let challengeWithoutNonce = text(
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"r\"\r\nContent-Length: 0\r\n\r\n")
    /// A body shorter than promised.
    public static let shortBody = text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
    /// A chunked body that is cut off.
    public static let cutOffChunk = text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nonly this")
    /// A chunk whose size is no number.
    public static let rubbishChunk = text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nsize\r\n")
    /// Two lengths that contradict each other.
    public static let twoLengths = text("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!")
    /// A redirect to where nothing can be got.
    public static let redirectToNowhere = text(
        "HTTP/1.1 302 Found\r\nLocation: gopher://a.test/\r\nContent-Length: 0\r\n\r\n")
    /// A redirect to itself.
    public static let redirectToItself = text(
        "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}
