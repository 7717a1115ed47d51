// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Fault {
    /// A body shorter than its Content-Length.
    public static let shortBody = response("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
    /// A body longer than its Content-Length, on a connection that stays open.
    public static let longBody = response(
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood and more", termination: .silence)
    /// A Content-Length of 2^63-1 bytes with a body of a few bytes.
    public static let largestLength = response("HTTP/1.1 200 OK\r\nContent-Length: \(Int64.max)\r\n\r\nonly this")
    /// A response with two different Content-Length fields (RFC 9112 section 6.3).
    public static let twoLengths = response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!")
    /// A response with a Content-Length and a chunked body of another length (RFC 9112 section 6.3).
    public static let lengthAndChunks = response(
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nbad\r\n0\r\n\r\n")

    /// Returns a response with a body of six bytes and the given Content-Length value.
    public static func length(_ text: String) -> Self {
        response("HTTP/1.1 200 OK\r\nContent-Length: \(text)\r\n\r\nhello!")
    }

    /// Returns a response with a chunked body and other transfer codings in its header block (RFC 9112 section 6.1).
    ///
    /// - Parameters:
    ///   - codings: The values of `Transfer-Encoding`, each in a separate field.
    ///   - minorVersion: The minor version of HTTP/1 in the status line.
    /// - Returns: The fault.
    public static func transferCoding(_ codings: String..., minorVersion: Int = 1) -> Self {
        let fields = codings.map { "Transfer-Encoding: \($0)\r\n" }.joined()
        return response("HTTP/1.\(minorVersion) 200 OK\r\n\(fields)\r\n3\r\nbad\r\n0\r\n\r\n")
    }

    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    /// A chunk of 16 bytes that ends after nine.
    public static let cutOffChunk = response(chunked + "10\r\nonly this")
    /// A chunk size that is not a number.
    public static let rubbishChunk = chunk(size: "size")
    /// A chunk size of 17 hexadecimal digits, which exceeds 64 bits.
    public static let overflowingChunk = chunk(size: "10000000000000004")
    /// The largest 64-bit chunk size, for a chunk of four bytes.
    public static let largestChunk = chunk(size: "ffffffffffffffff")
    /// A chunk with more bytes than its size.
    public static let longChunk = response(chunked + "4\r\ngood and more\r\n0\r\n\r\n")
    /// A chunk size of endless zeros.
    public static let endlessChunkSize = endless(chunked, "0")
    /// An endless chunk extension (RFC 9112 section 7.1.1).
    public static let endlessChunkExtension = endless(chunked + "4;a=", "b")
    /// A correct body of a hundred thousand chunks with one byte each.
    public static let tinyChunks = Self([
        .send(chunked), .flood(String(repeating: "1\r\na\r\n", count: 1_000), times: 100), .send("0\r\n\r\n"),
    ])
    /// A body of endless chunks with one byte and an extension of a thousand bytes each.
    public static let wastefulChunks = endless(chunked, "1;" + String(repeating: "a", count: 1_000) + "\r\na\r\n")
    /// A body of endless chunks with 1,024 bytes each.
    public static let endlessChunks = endless(chunked, "400\r\n" + String(repeating: "a", count: 1_024) + "\r\n")
    /// An endless trailer field.
    public static let endlessTrailer = endless(chunked + "4\r\ngood\r\n0\r\nX-Long: ", "a")
    /// Endless trailer fields.
    public static let endlessTrailers = endless(chunked + "4\r\ngood\r\n0\r\n", "X: y\r\n")
    /// A malformed trailer field line.
    public static let rubbishTrailer = response(chunked + "4\r\ngood\r\n0\r\nno field\r\n\r\n")
    /// A Content-Length trailer field, which is forbidden (RFC 9110 section 6.5.1).
    public static let lengthInTrailer = response(
        chunked + "4\r\ngood\r\n0\r\nContent-Length: 9\r\n\r\n", termination: .silence)

    /// Returns a chunked body whose first chunk has the given size text and four bytes.
    public static func chunk(size: String) -> Self {
        response(chunked + "\(size)\r\ngood\r\n0\r\n\r\n")
    }

    private static let good = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood"

    /// A malformed status line.
    public static let rubbishStatusLine = response("HTTP/9.9 OK fine\r\n\r\n")
    /// A response without a header block, as in HTTP/0.9.
    public static let bodyWithoutHead = response("<html>good</html>")

    /// Returns a response with the given status line that is otherwise correct.
    public static func statusLine(_ line: String) -> Self {
        response("\(line)\r\nContent-Length: 4\r\n\r\ngood")
    }

    /// Returns a correct response with an additional field line.
    ///
    /// - Parameter line: The line, sent unchanged; it may contain line terminators.
    /// - Returns: The fault.
    public static func fieldLine(_ line: String) -> Self {
        response("HTTP/1.1 200 OK\r\nX-First: 1\r\n\(line)\r\nContent-Length: 4\r\n\r\ngood")
    }

    /// A correct response followed by a second one, on a connection that stays open (CWE-113).
    public static let twoResponses = response(
        good + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", termination: .silence)
    /// A correct response and the beginning of a second one, which a later response would complete.
    public static let oneResponseAndAHalf = response(
        good + "HTTP/1.1 200 OK\r\nX-Evil: yes\r\n", termination: .silence)
    /// A correct response and the first letter of a second one, which a parser could buffer.
    public static let oneResponseAndALetter = response(good + "H", termination: .silence)
    /// A correct chunked response and the beginning of a second one.
    public static let chunksAndAHalf = response(
        """
        HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngood\r\n0\r\n\r\nHTTP/1.1 200 OK\r\nX-Evil: yes\r\n
        """, termination: .silence)
    /// A correct response without a body and the beginning of a second one.
    public static let noContentAndAHalf = response(
        "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\nX-Evil: yes\r\n", termination: .silence)
    /// Returns a correct response, followed by a second one after a delay and without a second request.
    public static func lateSecondResponse(after delay: Duration) -> Self {
        Self(
            [.send(good), .pause(delay), .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")],
            termination: .silence)
    }
}
