// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Fault {
    private static let good = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood"

    /// A status line that is none.
    public static let rubbishStatusLine = response("HTTP/9.9 OK fine\r\n\r\n")
    /// An answer of HTTP/0.9: a body and nothing else.
    public static let bodyWithoutHead = response("<html>good</html>")

    /// A good answer but for its status line.
    public static func statusLine(_ line: String) -> Self {
        response("\(line)\r\nContent-Length: 4\r\n\r\ngood")
    }

    /// A good answer with a line among its fields.
    ///
    /// - Parameter line: As it stands there; it may end or begin other lines too.
    /// - Returns: The fault.
    public static func fieldLine(_ line: String) -> Self {
        response("HTTP/1.1 200 OK\r\nX-First: 1\r\n\(line)\r\nContent-Length: 4\r\n\r\ngood")
    }

    /// A good answer with a second one behind it, on a connection that stays open (CWE-113).
    public static let twoResponses = response(
        good + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", ending: .silence)
    /// A good answer and the beginning of a second one, which would be whole with what comes later.
    public static let oneResponseAndAHalf = response(
        good + "HTTP/1.1 200 OK\r\nX-Evil: yes\r\n", ending: .silence)
    /// The same with the beginning of a name, which a parser keeps.
    public static let oneResponseAndALetter = response(good + "H", ending: .silence)
    /// The same after a body in chunks.
    public static let chunksAndAHalf = response(
        """
        HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngood\r\n0\r\n\r\nHTTP/1.1 200 OK\r\nX-Evil: yes\r\n
        """, ending: .silence)
    /// The same after a response that has no body.
    public static let noContentAndAHalf = response(
        "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\nX-Evil: yes\r\n", ending: .silence)
    /// A second answer a moment after the first, without a second request.
    public static func lateSecondResponse(after delay: Duration) -> Self {
        Self(
            [.send(good), .pause(delay), .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")], ending: .silence)
    }
}
