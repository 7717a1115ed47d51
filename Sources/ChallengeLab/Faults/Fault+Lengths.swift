// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Fault {
    /// A body shorter than promised.
    public static let shortBody = response("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
    /// A body longer than promised, on a connection that stays open.
    public static let longBody = response(
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood and more", ending: .silence)
    /// A body, as promised, of all the bytes that there are.
    public static let largestLength = response("HTTP/1.1 200 OK\r\nContent-Length: \(Int64.max)\r\n\r\nonly this")
    /// Two lengths that contradict each other.
    public static let twoLengths = response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!")
    /// A length and chunks, which say two different things (RFC 9112 section 6.3).
    public static let lengthAndChunks = response(
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nbad\r\n0\r\n\r\n")

    /// A length that is no number of bytes.
    public static func length(_ text: String) -> Self {
        response("HTTP/1.1 200 OK\r\nContent-Length: \(text)\r\n\r\nhello!")
    }

    /// A coding of the transfer other than chunks (RFC 9112 section 6.1).
    ///
    /// - Parameters:
    ///   - codings: The values of the fields `Transfer-Encoding`, one a field.
    ///   - minorVersion: Of HTTP/1.
    /// - Returns: The fault.
    public static func transferCoding(_ codings: String..., minorVersion: Int = 1) -> Self {
        let fields = codings.map { "Transfer-Encoding: \($0)\r\n" }.joined()
        return response("HTTP/1.\(minorVersion) 200 OK\r\n\(fields)\r\n3\r\nbad\r\n0\r\n\r\n")
    }
}
