// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if Brotli
    import CBrotli
    import ChallengeLab
    import Countersign
    import HTTPTypes
    import Testing

    /// The coding `br` (RFC 7932), in a build with the package trait.
    @Suite struct BrotliTests {
        /// Compresses bytes with the brotli library.
        private static func encode(_ bytes: [UInt8]) throws -> [UInt8] {
            var count = BrotliEncoderMaxCompressedSize(bytes.count) + 64
            var output = [UInt8](repeating: 0, count: count)
            try #require(
                BrotliEncoderCompress(5, 22, BROTLI_MODE_GENERIC, bytes.count, bytes, &count, &output) == BROTLI_TRUE)
            return Array(output.prefix(count))
        }

        @Test("A body is decoded from pieces of any size", arguments: [1, 2, 3, 7, 1000, 65_536, .max])
        func pieces(size: Int) throws {
            let text = ContentDecoderTests.text
            #expect(try ContentDecoderTests.decode(Self.encode(text), [.brotli], in: size) == text)
            let twice = try Deflated.gzip(Self.encode(text))
            #expect(try ContentDecoderTests.decode(twice, [.brotli, .gzip], in: size) == text)
            let thrice = try Self.encode(Deflated.zlib(Self.encode(text)))
            #expect(try ContentDecoderTests.decode(thrice, [.brotli, .deflate, .brotli], in: size) == text)
            #expect(try ContentDecoderTests.decode(Self.encode([]), [.brotli], in: size) == [])
        }

        @Test("Each truncation is detected", arguments: [1, .max]) func truncation(size: Int) throws {
            let bytes = try Self.encode(Array(ContentDecoderTests.text.prefix(300)))
            for count in 1..<bytes.count {
                #expect(throws: ContentDecoder.Failure.malformed(.truncated)) {
                    try ContentDecoderTests.decode(Array(bytes.prefix(count)), [.brotli], in: size)
                }
            }
            #expect(try ContentDecoderTests.decode([], [.brotli]) == [])
        }

        /// Brotli has no checksum, so a changed body may decode, but decoding must end within the limit.
        @Test("A body with a changed bit is decoded or refused within the limit") func changedBits() throws {
            let bytes = try Self.encode(Array(ContentDecoderTests.text.prefix(300)))
            for position in bytes.indices {
                for bit in 0..<8 {
                    var changed = bytes
                    changed[position] ^= 1 << UInt8(bit)
                    let decoded = try? ContentDecoderTests.decode(
                        changed, [.brotli], limit: ExpansionLimit(allowance: 4 << 20))
                    #expect(decoded?.count ?? 0 <= 4 << 20 + 65536)
                }
            }
        }

        @Test("A malformed body and data after its end are refused with the reason", arguments: [1, .max])
        func malformed(size: Int) throws {
            // A window that is larger than RFC 7932 section 9.1 defines.
            #expect(throws: ContentDecoder.Failure.malformed(.data)) {
                try ContentDecoderTests.decode([0x11, 0, 0, 0], [.brotli], in: size)
            }
            let text = ContentDecoderTests.text
            let padded = try Self.encode(text) + [UInt8](repeating: 0, count: 512)
            #expect(try ContentDecoderTests.decode(padded, [.brotli], in: size) == text)
            let followed = try Self.encode(text) + [UInt8](repeating: 0, count: 64 * 1024 + 1)
            #expect(throws: ContentDecoder.Failure.malformed(.trailingData(limit: 64 * 1024))) {
                try ContentDecoderTests.decode(followed, [.brotli], in: size)
            }
        }

        @Test("A body that exceeds the expansion limit is stopped early") func expansion() throws {
            let bomb = try Self.encode([UInt8](repeating: 0, count: 64 << 20))
            #expect(bomb.count < 200)
            do {
                _ = try ContentDecoderTests.decode(bomb, [.brotli], limit: ExpansionLimit(allowance: 4 << 20))
                Issue.record("decoded")
            } catch ContentDecoder.Failure.expanded(let received, let decoded) {
                #expect(received == bomb.count)
                #expect(decoded > 4 << 20 && decoded <= 4 << 20 + 65536)
            }
        }

        @Test("A session offers br and decodes it") func session() async throws {
            let body = ContentDecoderTests.text
            let coded = try Self.encode(body)
            let (requestFields, response, decoded) = try await ContentDecodingTests.exchange(
                .init(.ok, [.contentEncoding: "br"], body: coded))
            #expect(requestFields[.acceptEncoding]?.hasPrefix("gzip, deflate, br") == true)
            #expect(decoded == body)
            #expect(response.headerFields[.contentEncoding] == nil)
            #expect(response.body.codings == [.brotli])
            #expect(try await ContentDecodingTests.malformed(coded.dropLast(), "br") == .truncated)
            #expect(try await ContentDecodingTests.malformed([0x11, 0, 0, 0], "br") == .data)
        }
    }
#endif
