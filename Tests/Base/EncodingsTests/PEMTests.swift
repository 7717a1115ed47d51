// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
import Testing

@Suite("PEM blocks are read and written (RFC 7468)") struct PEMTests {
    private static let block = "-----BEGIN A B-----\nAQID\n-----END A B-----\n"

    @Test("A block is written in lines of 64 characters, and read back", arguments: [1, 47, 48, 49, 96, 100, 1_000])
    func roundTrip(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let text = PEMBlock.encode("X509 CRL", bytes)
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first == "-----BEGIN X509 CRL-----" && lines.suffix(2) == ["-----END X509 CRL-----", ""])
        #expect(lines.dropFirst().dropLast(3).allSatisfy { $0.count == 64 })
        let blocks = try PEMBlock.blocks(in: text)
        #expect(blocks.map(\.label) == ["X509 CRL"] && blocks.map(\.der) == [bytes])
        #expect(PEMBlock.contents(labeled: ["X509 CRL"], in: text) == [bytes])
        #expect(PEMBlock.isLikely(text))
    }

    @Test(
        "Indentation, other line endings and text around blocks are ignored",
        arguments: [
            block, "text\n- more -\n" + block, block.replacing("\n", with: "\r\n"),
            "  " + block.replacing("\n", with: "\n\t"),
            "-----BEGIN A B-----\nA\nQI\nD\n-----END A B-----", block.replacing("\n", with: "\r"),
            "see -----BEGIN A B----- below\n" + block, "-----BEGIN \u{e9}-----\n" + block,
        ])
    func variants(text: String) throws {
        #expect(try PEMBlock.blocks(in: Array(text.utf8)).map(\.der) == [[1, 2, 3]])
    }

    @Test(
        "A malformed text is refused with the offset of the error",
        arguments: [
            ("x\n-----BEGIN A-----\nAQID\n", .malformed(offset: 2)), ("x\n-----END A-----\n", .malformed(offset: 2)),
            ("-----BEGIN A-----\nAQID\n-----END B-----\n", .malformed(offset: 23)),
            ("-----BEGIN A-----\n-----BEGIN A-----\n", .malformed(offset: 18)),
            ("x\n-----BEGIN A-----\nAQI\n-----END A-----\n", .malformed(offset: 2)),
            ("x\n-----BEGIN A-----\nAQ ID\n-----END A-----\n", .malformed(offset: 2)),
            ("x\n-----BEGIN A-----\nAQID!\n-----END A-----\n", .malformed(offset: 2)),
            ("x\n-----BEGIN A-----\n-----END A-----\n", .malformed(offset: 2)),
            ("-----BEGIN A-----\nComment: b\nAQID\n-----END A-----\n", .malformed(offset: 18)),
            ("-----BEGIN A-----\nProc-Type: 4,ENCRYPTED\n\nAQID\n-----END A-----\n", .malformed(offset: 0)),
            ("-----BEGIN A-----\nDEK-Info: a\n\nAQID\n-----END A-----\n", .malformed(offset: 18)),
            ("-----BEGIN A-----\nProc-Type: 4,MIC-ONLY\nDEK-Info: a\n", .malformed(offset: 18)),
            ("-----BEGIN A-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: a\nDEK-Info: a\n", .malformed(offset: 53)),
            ("-----BEGIN A-----\nAQID\nProc-Type: 4,ENCRYPTED\n", PEMError.malformed(offset: 23)),
        ])
    func malformed(text: String, error: PEMError) {
        #expect(throws: error) { try PEMBlock.blocks(in: Array(text.utf8)) }
    }

    @Test(
        "The headers of an encrypted block are read",
        arguments: [
            "Proc-Type: 4,ENCRYPTED\r\n  DEK-Info:DES-CBC,00 ", "Proc-Type: 4, ENCRYPTED\nDEK-Info: DES-CBC ,\t00",
        ])
    func encryption(headers: String) throws {
        let text = "-----BEGIN A-----\n\(headers)\n\nAQID\n-----END A-----\n"
        let blocks = try PEMBlock.blocks(in: Array((text + Self.block).utf8))
        #expect(blocks.map(\.encryptionInfo) == ["DES-CBC,00", nil] && blocks.map(\.der) == [[1, 2, 3], [1, 2, 3]])
    }

    @Test("The number of blocks is limited") func limit() throws {
        let text = (0...PEMBlock.maximumCount).flatMap { _ in Array(Self.block.utf8) }
        #expect(throws: PEMError.tooMany(limit: PEMBlock.maximumCount)) { try PEMBlock.blocks(in: text) }
        #expect(try PEMBlock.blocks(in: Array(text.dropLast(Self.block.utf8.count))).count == PEMBlock.maximumCount)
    }

    @Test(
        "A bundle is read leniently: only the labels and the Base64 matter",
        arguments: [
            (block, [[1, 2, 3]]), ("-----BEGIN A B-----AQID-----END A B-----", [[1, 2, 3]]),
            ("-----BEGIN A B-----\nAQ I\nD\n", [[1, 2, 3]]), ("-----BEGIN C-----\nAQID\n-----END C-----\n", []),
            ("-----BEGIN A B-----\nAQ!D\n" + block, [nil, [1, 2, 3]]), ("--\n" + block, [[1, 2, 3]]),
            ("-----BEGIN A B-----\n" + block, [[], [1, 2, 3]]), ("-----BEGIN A B-----\nAQI", [[1, 2]]), ("", []),
        ] as [(String, [[UInt8]?])])
    func bundle(text: String, contents: [[UInt8]?]) {
        #expect(PEMBlock.contents(labeled: ["A B", "D"], in: Array(text.utf8)) == contents)
    }

    @Test("Every block is found with its line, also beside broken ones") func excerpts() throws {
        let (open, other) = ("x\r\n-----BEGIN A B-----\r\nAQID\r\n", "-----BEGIN C-----\rA!\r-----END C-----\n")
        let text = open + Self.block + other + Self.block
        let found = PEMBlock.excerpts(in: Array(text.utf8))
        #expect(found.map(\.label) == ["A B", "A B", "C", "A B"])
        #expect(found.map(\.line) == [2, 4, 7, 10])
        #expect(found.map(\.isEnded) == [false, true, true, true])
        #expect(found.map(\.content) == [[1, 2, 3], [1, 2, 3], nil, [1, 2, 3]])
    }

    @Test("A byte order mark is removed, and UTF-16 is converted") func byteOrderMarks() {
        let text = Array(Self.block.utf8)
        #expect(PEMBlock.plainText(text) == text)
        #expect(PEMBlock.plainText([0xEF, 0xBB, 0xBF] + text) == text)
        #expect(PEMBlock.plainText([0xFF, 0xFE] + text.flatMap { [$0, 0] }) == text)
        #expect(PEMBlock.plainText([0xFE, 0xFF] + text.flatMap { [0, $0] }) == text)
        #expect(PEMBlock.plainText([0xFE, 0xFF]) == [] && PEMBlock.plainText([0xFF, 0xFE, 0x2D]) == [])
    }

    @Test("DER is not mistaken for PEM") func likely() {
        #expect(!PEMBlock.isLikely([0x30, 0x82, 1, 0] + Self.block.utf8))
        #expect(PEMBlock.isLikely(Array(("0\n" + Self.block).utf8)) && !PEMBlock.isLikely(Array("BEGIN A".utf8)))
    }
}
