// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Fault {
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    /// A chunk of 16 bytes that ends after 9 of them.
    public static let cutOffChunk = response(chunked + "10\r\nonly this")
    /// A chunk whose size is no number.
    public static let rubbishChunk = chunk(size: "size")
    /// A chunk size of 17 hexadecimal digits, which exceeds 64 bits.
    public static let overflowingChunk = chunk(size: "10000000000000004")
    /// The largest chunk size of 64 bits, in a chunk of four bytes.
    public static let largestChunk = chunk(size: "ffffffffffffffff")
    /// A chunk with more bytes than its size.
    public static let longChunk = response(chunked + "4\r\ngood and more\r\n0\r\n\r\n")
    /// A chunk size with endless zeros.
    public static let endlessChunkSize = endless(chunked, "0")
    /// A chunk extension (RFC 9112 section 7.1.1) that does not end.
    public static let endlessChunkExtension = endless(chunked + "4;a=", "b")
    /// A hundred thousand chunks of one byte, and a correct end.
    public static let tinyChunks = Self([
        .send(chunked), .flood(String(repeating: "1\r\na\r\n", count: 1_000), times: 100), .send("0\r\n\r\n"),
    ])
    /// Endless chunks of one byte, each with an extension of a thousand bytes.
    public static let wastefulChunks = endless(chunked, "1;" + String(repeating: "a", count: 1_000) + "\r\na\r\n")
    /// Endless chunks of 1,024 bytes.
    public static let endlessChunks = endless(chunked, "400\r\n" + String(repeating: "a", count: 1_024) + "\r\n")
    /// A trailer field that does not end.
    public static let endlessTrailer = endless(chunked + "4\r\ngood\r\n0\r\nX-Long: ", "a")
    /// Endless trailer fields.
    public static let endlessTrailers = endless(chunked + "4\r\ngood\r\n0\r\n", "X: y\r\n")
    /// A line among the trailer fields that is no field.
    public static let rubbishTrailer = response(chunked + "4\r\ngood\r\n0\r\nno field\r\n\r\n")
    /// A Content-Length among the trailer fields, where it is forbidden (RFC 9110 section 6.5.1).
    public static let lengthInTrailer = response(
        chunked + "4\r\ngood\r\n0\r\nContent-Length: 9\r\n\r\n", ending: .silence)

    /// Makes a fault whose first chunk has this text as its size, and four bytes.
    public static func chunk(size: String) -> Self {
        response(chunked + "\(size)\r\ngood\r\n0\r\n\r\n")
    }
}
