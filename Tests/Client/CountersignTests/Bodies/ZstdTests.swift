// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if Zstd
    import CZstd
    import ChallengeLab
    import Countersign
    import HTTPTypes
    import Testing

    /// The coding `zstd` (RFC 8878), in a build with the package trait.
    @Suite struct ZstdTests {
        /// An empty frame without a content size (section 3.1.1), with the exponent of its window in the sixth byte.
        private static func emptyFrame(windowLog: UInt8) -> [UInt8] {
            [0x28, 0xB5, 0x2F, 0xFD, 0, (windowLog - 10) << 3, 1, 0, 0]
        }

        /// A skippable frame with three bytes (section 3.1.2).
        private static let skippable: [UInt8] = [0x5F, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]

        /// Compresses bytes with the zstd library, into one frame with a checksum.
        private static func encode(_ bytes: [UInt8]) throws -> [UInt8] {
            let context = try #require(ZSTD_createCCtx())
            defer { ZSTD_freeCCtx(context) }
            ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
            let capacity = ZSTD_compressBound(bytes.count)
            var output = [UInt8](repeating: 0, count: capacity)
            let count = ZSTD_compress2(context, &output, capacity, bytes, bytes.count)
            try #require(ZSTD_isError(count) == 0)
            return Array(output.prefix(count))
        }

        @Test("A body is decoded from pieces of any size", arguments: [1, 2, 3, 7, 1000, 65_536, .max])
        func pieces(size: Int) throws {
            let text = ContentDecoderTests.text
            #expect(try ContentDecoderTests.decode(Self.encode(text), [.zstd], in: size) == text)
            #expect(try ContentDecoderTests.decode(Deflated.gzip(Self.encode(text)), [.zstd, .gzip], in: size) == text)
            #expect(try ContentDecoderTests.decode(Self.encode(Deflated.gzip(text)), [.gzip, .zstd], in: size) == text)
            #expect(try ContentDecoderTests.decode(Self.encode([]), [.zstd], in: size) == [])
        }

        @Test("Several frames are one body, and skippable frames are skipped", arguments: [1, 5, .max])
        func frames(size: Int) throws {
            let text = ContentDecoderTests.text
            let (first, second) = (Array(text.prefix(5000)), Array(text.dropFirst(5000)))
            let frames = [Self.skippable, try Self.encode(first), Self.emptyFrame(windowLog: 10), Self.skippable]
            let body = try frames.flatMap(\.self) + Self.encode(second) + Self.skippable
            #expect(try ContentDecoderTests.decode(body, [.zstd], in: size) == text)
            #expect(try ContentDecoderTests.decode(Self.skippable, [.zstd], in: size) == [])
        }

        @Test("Each truncation is detected", arguments: [1, .max]) func truncation(size: Int) throws {
            let bytes = try Self.encode(Array(ContentDecoderTests.text.prefix(300)))
            for count in 1..<bytes.count {
                #expect(throws: ContentDecoder.Failure.malformed(.truncated)) {
                    try ContentDecoderTests.decode(Array(bytes.prefix(count)), [.zstd], in: size)
                }
            }
            #expect(throws: ContentDecoder.Failure.malformed(.truncated)) {
                try ContentDecoderTests.decode(bytes + Self.skippable.dropLast(), [.zstd], in: size)
            }
            #expect(try ContentDecoderTests.decode([], [.zstd]) == [])
        }

        @Test("A body with a changed bit is decoded unchanged or refused") func changedBits() throws {
            let text = Array(ContentDecoderTests.text.prefix(300))
            let bytes = try Self.encode(text)
            for position in bytes.indices {
                for bit in 0..<8 {
                    var changed = bytes
                    changed[position] ^= 1 << UInt8(bit)
                    // Without the flag of the checksum, its bytes are data after the frame.
                    guard position != 4 else { continue }
                    let decoded = try? ContentDecoderTests.decode(changed, [.zstd])
                    #expect(decoded == nil || decoded == text, "byte \(position), bit \(bit)")
                }
            }
        }

        @Test(
            "A window of more than 8 MiB (RFC 9659), a dictionary and other data are refused", arguments: [1, .max])
        func malformed(size: Int) throws {
            #expect(try ContentDecoderTests.decode(Self.emptyFrame(windowLog: 23), [.zstd], in: size) == [])
            let dictionary: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 1, 0, 5, 1, 0, 0]
            #expect(throws: ContentDecoder.Failure.malformed(.window(limit: 8 << 20))) {
                try ContentDecoderTests.decode(Self.emptyFrame(windowLog: 24), [.zstd], in: size)
            }
            // The formats of zstd 0.5 to 0.7.
            let old = (UInt8(0x25)...0x27).map { [$0, 0xB5, 0x2F, 0xFD, 0, 0x88, 0, 0, 0] }
            for bytes in old + [dictionary, Array("a page".utf8)] {
                #expect(throws: ContentDecoder.Failure.malformed(.data)) {
                    try ContentDecoderTests.decode(bytes, [.zstd], in: size)
                }
            }
            let text = ContentDecoderTests.text
            let padded = try Self.encode(text) + [UInt8](repeating: 0, count: 512)
            #expect(try ContentDecoderTests.decode(padded, [.zstd], in: size) == text)
            let followed = try Self.encode(text) + [UInt8](repeating: 0, count: 64 * 1024 + 1)
            #expect(throws: ContentDecoder.Failure.malformed(.trailingData(limit: 64 * 1024))) {
                try ContentDecoderTests.decode(followed, [.zstd], in: size)
            }
        }

        @Test("A body that exceeds the expansion limit is stopped early") func expansion() throws {
            let bomb = try Self.encode([UInt8](repeating: 0, count: 10 << 20))
            #expect(bomb.count < 2_000)
            do {
                _ = try ContentDecoderTests.decode(bomb, [.zstd], limit: ExpansionLimit(allowance: 4 << 20))
                Issue.record("decoded")
            } catch ContentDecoder.Failure.expanded(let received, let decoded) {
                #expect(received == bomb.count)
                #expect(decoded > 4 << 20 && decoded <= 4 << 20 + 65536)
            }
        }

        @Test("Endless empty frames are refused") func emptyFrames() throws {
            let frames = [[UInt8]](repeating: Self.emptyFrame(windowLog: 10), count: 120_000).flatMap(\.self)
            #expect(throws: ContentDecoder.Failure.malformed(.data)) {
                try ContentDecoderTests.decode(frames, [.zstd], in: 65_536)
            }
        }

        @Test("A session offers zstd and decodes it") func session() async throws {
            let body = ContentDecoderTests.text
            let coded = try Self.encode(body)
            let (requestFields, response, decoded) = try await ContentDecodingTests.exchange(
                .init(.ok, [.contentEncoding: "zstd"], body: coded))
            #expect(requestFields[.acceptEncoding]?.hasSuffix(", zstd") == true)
            #expect(decoded == body)
            #expect(response.headerFields[.contentEncoding] == nil)
            #expect(response.body.codings == [.zstd])
            #expect(try await ContentDecodingTests.malformed(coded.dropLast(), "zstd") == .truncated)
            let damaged: [UInt8] = coded.dropLast() + [coded[coded.count - 1] ^ 1]
            #expect(try await ContentDecodingTests.malformed(damaged, "zstd") == .data)
        }
    }
#endif
