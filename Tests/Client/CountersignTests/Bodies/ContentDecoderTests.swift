// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import NIOCore
import Testing

/// Content codings without a network (RFC 9110 section 8.4).
@Suite struct ContentDecoderTests {
    /// A text that is neither so regular that it becomes a single match, nor so random that it cannot be compressed.
    static let text = (0..<20_000).flatMap { Array("\($0 * 7919 % 10_007),".utf8) }

    /// Feeds a decoder piece by piece, and checks that no output exceeds the documented size.
    static func decode(
        _ bytes: [UInt8], _ codings: [ContentCoding], in size: Int = .max, limit: ExpansionLimit = ExpansionLimit()
    ) throws -> [UInt8] {
        var decoder = ContentDecoder(codings, limit: limit)
        var (decoded, rest) = ([UInt8](), bytes[...])
        while !rest.isEmpty {
            let piece = rest.prefix(size)
            rest = rest.dropFirst(piece.count)
            decoder.receive(ByteBuffer(bytes: piece))
            while let output = try decoder.next() {
                #expect((1...65536).contains(output.readableBytes))
                decoded += output.readableBytesView
            }
        }
        try decoder.finish()
        return decoded
    }

    @Test("A body is decoded from pieces of any size", arguments: [1, 2, 3, 7, 1000, 65_536, .max])
    func pieces(size: Int) throws {
        let text = Self.text
        let (first, second) = (Array(text.prefix(5000)), Array(text.dropFirst(5000)))
        let members = try Deflated.gzip(first) + Deflated.gzip([]) + Deflated.gzip(second)
        #expect(try Self.decode(Deflated.gzip(text), [.gzip], in: size) == text)
        #expect(try Self.decode(Deflated.zlib(text), [.deflate], in: size) == text)
        #expect(try Self.decode(Deflated.raw(text), [.deflate], in: size) == text)
        #expect(try Self.decode(members, [.gzip], in: size) == text)
        #expect(try Self.decode(Deflated.gzip(Deflated.zlib(text)), [.deflate, .gzip], in: size) == text)
        let four = try Deflated.raw(Deflated.gzip(Deflated.zlib(Deflated.gzip(text))))
        #expect(try Self.decode(four, [.gzip, .deflate, .gzip, .deflate], in: size) == text)
    }

    @Test("Padding after the data is ignored up to a limit", arguments: [1, 10, .max])
    func trailingData(size: Int) throws {
        let padded = try Deflated.gzip(Self.text) + [UInt8](repeating: 0, count: 512)
        #expect(try Self.decode(padded, [.gzip], in: size) == Self.text)
        let followed = try Deflated.zlib(Self.text) + [UInt8](repeating: 0x41, count: 64 * 1024 + 1)
        #expect(throws: ContentDecoder.Failure.malformed(.trailingData(limit: 64 * 1024))) {
            try Self.decode(followed, [.deflate], in: size)
        }
    }

    @Test("Each truncation is detected", arguments: [1, .max]) func truncation(size: Int) throws {
        let text = Array(Self.text.prefix(300))
        for (bytes, coding) in [
            (try Deflated.gzip(text), ContentCoding.gzip), (try Deflated.zlib(text), .deflate),
            (try Deflated.raw(text), .deflate),
        ] {
            for count in 1..<bytes.count {
                #expect(throws: ContentDecoder.Failure.malformed(.truncated)) {
                    try Self.decode(Array(bytes.prefix(count)), [coding], in: size)
                }
            }
        }
        #expect(try Self.decode([], [.gzip]) == [])
    }

    @Test("Each changed bit is detected by the checksum") func changedBits() throws {
        let text = Array(Self.text.prefix(100))
        let bytes = try Deflated.zlib(text)
        // The first two bytes state the window size, for which several encodings are valid.
        var seen = 0
        for position in 2..<bytes.count {
            for bit in 0..<8 {
                var changed = bytes
                changed[position] ^= 1 << UInt8(bit)
                // The padding bits between the data and the checksum have no meaning.
                let decoded = try? Self.decode(changed, [.deflate])
                #expect(decoded == nil || decoded == text, "byte \(position), bit \(bit)")
                if decoded == nil { seen += 1 }
            }
        }
        #expect(seen >= (bytes.count - 2) * 8 - 7)
    }

    @Test("A body that exceeds the expansion limit is stopped early") func expansion() throws {
        let zeros = [UInt8](repeating: 0, count: 10 << 20)
        let bomb = try Deflated.gzip(zeros)
        #expect(bomb.count < 11 << 10)
        let nested = try Deflated.gzip(Deflated.gzip(bomb))
        #expect(nested.count < 300)
        for (bytes, codings) in [(bomb, [ContentCoding.gzip]), (nested, [.gzip, .gzip, .gzip])] {
            do {
                _ = try Self.decode(bytes, codings, limit: ExpansionLimit(allowance: 4 << 20))
                Issue.record("decoded")
            } catch ContentDecoder.Failure.expanded(let received, let decoded) {
                #expect(received == bytes.count)
                #expect(decoded > 4 << 20 && decoded <= 4 << 20 + 65536)
            }
        }
    }

    @Test("By default, 64 MiB are decoded at any ratio", arguments: [(64 << 20, true), (64 << 20 + 1, false)])
    func allowance(size: Int, isAllowed: Bool) throws {
        var decoder = ContentDecoder([.gzip], limit: ExpansionLimit())
        decoder.receive(ByteBuffer(bytes: try Deflated.gzip([UInt8](repeating: 0, count: size))))
        var decoded = 0
        do {
            while let output = try decoder.next() { decoded += output.readableBytes }
            #expect(isAllowed && decoded == size)
        } catch {
            #expect(!isAllowed)
        }
    }

    @Test(
        "The limit is the greater of ratio and allowance",
        arguments: [
            (ratio: 1100, allowance: 0, isAllowed: true), (1, 10 << 20, true), (1000, 0, false),
            (1, 10 << 20 - 1, false),
            (.max, 0, true),
        ])
    func expansionLimit(ratio: Int, allowance: Int, isAllowed: Bool) throws {
        let zeros = [UInt8](repeating: 0, count: 10 << 20)
        let limit = ExpansionLimit(ratio: ratio, allowance: allowance)
        let bytes = try Deflated.gzip(zeros)
        if isAllowed {
            #expect(try Self.decode(bytes, [.gzip], limit: limit).count == zeros.count)
        } else {
            #expect(throws: ContentDecoder.Failure.self) { try Self.decode(bytes, [.gzip], limit: limit) }
        }
    }
}
