// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The faults of content codings: bodies with a wrong coding, and bodies that decoding makes far larger (RFC 9110
/// section 8.4.1).
extension Fault {
    /// The header of a gzip member without a file name (RFC 1952 section 2.3).
    private static let memberHead: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
    /// The header of a gzip member with a file name, which must follow.
    private static let namedMemberHead: [UInt8] = [0x1F, 0x8B, 8, 0x08, 0, 0, 0, 0, 0, 3]
    /// The header of a deflate block (RFC 1951 section 3.2.7) with codes by which each zero byte decodes
    /// to 1,032 bytes.
    private static let zerosHead: [UInt8] = [
        0xED, 0xC1, 0x31, 0x01, 0x00, 0x00, 0x00, 0xC2, 0xA0, 0xF5, 0x4F, 0x6D, 0x08, 0x5F, 0xA0,
    ]
    private static let zeros = [UInt8](repeating: 0, count: 1_024)
    /// A complete gzip member that decodes to four letters.
    private static let goodMember =
        memberHead + [0x4B, 0xCF, 0xCF, 0x4F, 0x01, 0x00, 0x92, 0x4E, 0x84, 0x6C, 0x04, 0x00, 0x00, 0x00]
    private static let emptyMember = memberHead + [0x03, 0x00] + [UInt8](repeating: 0, count: 8)
    /// A gzip member of 96 bytes that decodes to 64 KiB of zeros.
    private static let zerosMember =
        memberHead
        + [0xED, 0xC1, 0x01, 0x01, 0x00, 0x00, 0x00, 0x80, 0x90, 0xFE, 0xAF, 0xEE, 0x08, 0x0A]
        + [UInt8](repeating: 0, count: 63) + [0x6A, 0xEB, 0x8E, 0x97, 0xD7, 0x00, 0x00, 0x01, 0x00]
    /// A body of 126 bytes that decodes to 10 MiB of zeros after two gzip codings.
    private static let nestedZeros: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xED, 0xD8, 0x3B, 0x0D, 0xC2, 0x60, 0x18, 0x40,
        0xD1, 0xAF, 0x94, 0xA1, 0x3C, 0x02, 0x12, 0x60, 0xAE, 0x90, 0xCE, 0x2C, 0x88, 0x40, 0x05, 0x4D, 0x3A, 0xB2,
        0xA0, 0x00, 0x70, 0x80, 0x06, 0x56, 0xD2, 0x9D, 0xD4, 0x03, 0xE0, 0x80, 0xD7, 0x2F, 0x83, 0xE6, 0x9C, 0xE9,
        0x6A, 0xB8, 0x8B, 0x5D, 0x11, 0xC9, 0x20, 0xBF, 0x5F, 0xB2, 0xEC, 0x17, 0xF5, 0xFE, 0x7D, 0x7E, 0x16, 0xE3,
        0x00, 0x00, 0x00, 0x00, 0x7A, 0xAE, 0xEE, 0x9A, 0x3C, 0xCD, 0x80, 0x58, 0x7E, 0x6E, 0xD5, 0x6A, 0x0D, 0x00,
        0x00, 0x00, 0xF4, 0xDD, 0x66, 0x3E, 0x1B, 0xA5, 0x17, 0x30, 0x7C, 0x6D, 0x1F, 0xD3, 0x89, 0x39, 0x02, 0x00,
        0xFF, 0xE0, 0x18, 0x6D, 0x79, 0x3D, 0x44, 0x9C, 0xE2, 0x0B, 0x5E, 0xB5, 0x32, 0xBC, 0xED, 0x27, 0x00, 0x00,
    ]

    // MARK: Decompression bombs

    /// A gzip body that never ends, whose zeros take a thousand times more space when they are decoded.
    public static let gzipBomb = endlessBody(of: "gzip", memberHead + zerosHead, zeros)
    /// An endless deflate body of zeros in zlib format (RFC 1950).
    public static let deflateBomb = endlessBody(of: "deflate", [0x78, 0xDA] + zerosHead, zeros)
    /// An endless deflate body of zeros without the zlib format (RFC 1951), as some servers send it.
    public static let rawDeflateBomb = endlessBody(of: "deflate", zerosHead, zeros)
    /// An endless gzip body of zeros in chunks.
    public static let gzipBombInChunks = Self([
        .send(head(of: "gzip", "Transfer-Encoding: chunked\r\n")),
        .send(chunk(of: memberHead + zerosHead)), .flood(chunk(of: zeros), times: nil),
    ])
    /// A body of 126 bytes that decodes to 10 MiB of zeros after two gzip codings.
    public static let nestedBomb = body(of: "gzip, gzip", nestedZeros)
    /// A body of endless gzip members, each of which decodes less than a hundred bytes to 64 KiB of zeros.
    public static let memberBomb = endlessBody(of: "gzip", [], zerosMember)

    // MARK: Endless bodies

    /// A body of endless gzip members with four bytes each.
    public static let endlessMembers = endlessBody(of: "gzip", [], goodMember)
    /// A body of endless empty gzip members.
    public static let endlessEmptyMembers = endlessBody(of: "gzip", [], emptyMember)
    /// A gzip member with endless empty blocks (RFC 1951 section 3.2.4).
    public static let endlessEmptyBlocks = endlessBody(of: "gzip", memberHead, [0, 0, 0, 0xFF, 0xFF])
    /// A gzip member with an endless file name (RFC 1952 section 2.3.1).
    public static let endlessMemberName = endlessBody(of: "gzip", namedMemberHead, Array("a".utf8))
    /// A complete gzip member followed by endless zero bytes.
    public static let endlessPadding = endlessBody(of: "gzip", goodMember, zeros)

    // MARK: Malformed bodies

    /// A correct body of two gzip members (RFC 1952 section 2.2).
    public static let twoMembers = body(of: "gzip", goodMember + goodMember)
    /// A complete response whose gzip member ends within the compressed data.
    public static let truncatedGzip = body(of: "gzip", Array(goodMember.dropLast(9)))
    /// A complete response whose gzip member ends before its checksum (RFC 1952 section 2.3.1).
    public static let gzipWithoutChecksum = body(of: "gzip", Array(goodMember.dropLast(8)))
    /// A gzip member with a wrong checksum.
    public static let gzipWithWrongChecksum = body(of: "gzip", goodMember.dropLast(8) + [1, 2, 3, 4, 4, 0, 0, 0])
    /// A plain text with the content coding gzip.
    public static let rubbishGzip = body(of: "gzip", Array("good".utf8))
    /// A plain text with the content coding deflate, whose first byte begins a block of the reserved type (RFC 1951
    /// section 3.2.3).
    public static let rubbishDeflate = body(of: "deflate", Array("good".utf8))
    /// A body with five content codings, more than real servers apply.
    public static let manyCodings = body(of: "gzip, gzip, gzip, gzip, gzip", goodMember)

    // MARK: HTTP/2

    /// A gzip body of zeros in 33 DATA frames, which decoding makes a thousand times larger.
    public static let gzipBombOfHTTP2 = http2(
        [codedHead("gzip"), .data(memberHead + zerosHead)] + Array(repeating: .data(zeros), count: 32))
    /// A body of 126 bytes that decodes to 10 MiB of zeros after two gzip codings.
    public static let nestedBombOfHTTP2 = http2([codedHead("gzip, gzip"), .data(nestedZeros, .endStream)])
    /// A body of endless empty gzip members.
    public static let endlessEmptyMembersOfHTTP2 = http2Flood(after: [codedHead("gzip")], [.data(emptyMember)])
    /// A complete response whose gzip member ends within the compressed data.
    public static let truncatedGzipOfHTTP2 = http2([
        codedHead("gzip"), .data(Array(goodMember.dropLast(9)), .endStream),
    ])
    /// A plain text with the content coding gzip.
    public static let rubbishGzipOfHTTP2 = http2([codedHead("gzip"), .data("good", .endStream)])

    // MARK: Helpers

    private static func head(of coding: String, _ framing: String = "") -> String {
        "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n\(framing)\r\n"
    }

    private static func body(of coding: String, _ bytes: [UInt8]) -> Self {
        Self([.send(head(of: coding, "Content-Length: \(bytes.count)\r\n")), .send(bytes)], termination: .silence)
    }

    private static func endlessBody(of coding: String, _ start: [UInt8], _ piece: [UInt8]) -> Self {
        let pieces = Array(repeatElement(piece, count: max(1, 4_096 / piece.count)).joined())
        return Self([.send(head(of: coding)), .send(start), .flood(pieces, times: nil)])
    }

    private static func chunk(of bytes: [UInt8]) -> [UInt8] {
        Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
    }

    private static func codedHead(_ coding: String) -> RawHTTP2Frame {
        .headers([(":status", "200"), ("content-encoding", coding)])
    }
}
