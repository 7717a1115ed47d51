// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Fault {
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
}
