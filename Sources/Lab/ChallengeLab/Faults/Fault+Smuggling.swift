// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Fault {
    private static let good = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood"

    /// A malformed status line.
    public static let rubbishStatusLine = response("HTTP/9.9 OK fine\r\n\r\n")
    /// A response of HTTP/0.9: a body without a head.
    public static let bodyWithoutHead = response("<html>good</html>")

    /// Makes an otherwise correct response with this status line.
    public static func statusLine(_ line: String) -> Self {
        response("\(line)\r\nContent-Length: 4\r\n\r\ngood")
    }

    /// Makes a correct response with a line among its fields.
    ///
    /// - Parameter line: The line, sent unchanged; it may contain ends of lines.
    /// - Returns: The fault.
    public static func fieldLine(_ line: String) -> Self {
        response("HTTP/1.1 200 OK\r\nX-First: 1\r\n\(line)\r\nContent-Length: 4\r\n\r\ngood")
    }

    /// A correct response followed by a second one, on a connection that stays open (CWE-113).
    public static let twoResponses = response(
        good + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", ending: .silence)
    /// A correct response and the beginning of a second one, which a later response would complete.
    public static let oneResponseAndAHalf = response(
        good + "HTTP/1.1 200 OK\r\nX-Evil: yes\r\n", ending: .silence)
    /// A correct response and the first letter of a second one, which a parser keeps.
    public static let oneResponseAndALetter = response(good + "H", ending: .silence)
    /// A correct response in chunks and the beginning of a second one.
    public static let chunksAndAHalf = response(
        """
        HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngood\r\n0\r\n\r\nHTTP/1.1 200 OK\r\nX-Evil: yes\r\n
        """, ending: .silence)
    /// A correct response without a body and the beginning of a second one.
    public static let noContentAndAHalf = response(
        "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\nX-Evil: yes\r\n", ending: .silence)
    /// Makes a second response some time after the first, without a second request.
    public static func lateSecondResponse(after delay: Duration) -> Self {
        Self(
            [.send(good), .pause(delay), .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")], ending: .silence)
    }
}
