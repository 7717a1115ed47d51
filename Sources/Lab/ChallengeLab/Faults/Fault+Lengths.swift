// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Fault {
    /// A body shorter than its Content-Length.
    public static let shortBody = response("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
    /// A body longer than its Content-Length, on a connection that stays open.
    public static let longBody = response(
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood and more", ending: .silence)
    /// A Content-Length of 2^63-1 bytes, and a body of a few bytes.
    public static let largestLength = response("HTTP/1.1 200 OK\r\nContent-Length: \(Int64.max)\r\n\r\nonly this")
    /// Two different fields Content-Length (RFC 9112 section 6.3).
    public static let twoLengths = response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!")
    /// A Content-Length and a body in chunks of another length (RFC 9112 section 6.3).
    public static let lengthAndChunks = response(
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nbad\r\n0\r\n\r\n")

    /// Makes a response with a body of six bytes and this text as its Content-Length.
    public static func length(_ text: String) -> Self {
        response("HTTP/1.1 200 OK\r\nContent-Length: \(text)\r\n\r\nhello!")
    }

    /// Makes a body in chunks with other transfer codings in its head (RFC 9112 section 6.1).
    ///
    /// - Parameters:
    ///   - codings: The values of `Transfer-Encoding`, each in a separate field.
    ///   - minorVersion: The minor version of HTTP/1 in the status line.
    /// - Returns: The fault.
    public static func transferCoding(_ codings: String..., minorVersion: Int = 1) -> Self {
        let fields = codings.map { "Transfer-Encoding: \($0)\r\n" }.joined()
        return response("HTTP/1.\(minorVersion) 200 OK\r\n\(fields)\r\n3\r\nbad\r\n0\r\n\r\n")
    }
}
