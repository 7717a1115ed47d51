// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Fault {
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    /// A chunked body that is cut off.
    public static let cutOffChunk = response(chunked + "10\r\nonly this")
    /// A chunk whose size is no number.
    public static let rubbishChunk = chunk(size: "size")
    /// A chunk size of seventeen digits, more than any integer here holds.
    public static let overflowingChunk = chunk(size: "10000000000000004")
    /// The largest chunk that there can be.
    public static let largestChunk = chunk(size: "ffffffffffffffff")
    /// A chunk with more bytes than it says.
    public static let longChunk = response(chunked + "4\r\ngood and more\r\n0\r\n\r\n")
    /// A chunk size with digits that do not end.
    public static let endlessChunkSize = endless(chunked, "0")
    /// An extension of a chunk (RFC 9112 section 7.1.1) that does not end.
    public static let endlessChunkExtension = endless(chunked + "4;a=", "b")
    /// Chunks of one byte, a hundred thousand.
    public static let tinyChunks = Self([
        .send(chunked), .flood(String(repeating: "1\r\na\r\n", count: 1_000), times: 100), .send("0\r\n\r\n"),
    ])
    /// Chunks of one byte, each with an extension of a thousand.
    public static let wastefulChunks = endless(chunked, "1;" + String(repeating: "a", count: 1_000) + "\r\na\r\n")
    /// A body in chunks that never ends.
    public static let endlessChunks = endless(chunked, "400\r\n" + String(repeating: "a", count: 1_024) + "\r\n")
    /// A trailer that does not end.
    public static let endlessTrailer = endless(chunked + "4\r\ngood\r\n0\r\nX-Long: ", "a")
    /// Trailers without an end.
    public static let endlessTrailers = endless(chunked + "4\r\ngood\r\n0\r\n", "X: y\r\n")
    /// A trailer that is no field.
    public static let rubbishTrailer = response(chunked + "4\r\ngood\r\n0\r\nno field\r\n\r\n")
    /// A trailer that says how long the body is, which no trailer may (RFC 9110 section 6.5.1).
    public static let lengthInTrailer = response(
        chunked + "4\r\ngood\r\n0\r\nContent-Length: 9\r\n\r\n", ending: .silence)

    /// A first chunk whose size is this.
    public static func chunk(size: String) -> Self {
        response(chunked + "\(size)\r\ngood\r\n0\r\n\r\n")
    }
}
