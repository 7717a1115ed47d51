// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import FuzzDriver
import NIOCore

/// Fuzzes content decoding; the input has a byte for the codings, one for the part size, and the body.
@main
enum ContentDecoderFuzz {
    private static let limit = ExpansionLimit(ratio: 50, allowance: 1 << 20)

    private enum Outcome: Equatable {
        case decoded([UInt8])
        /// A malformed body, without the reason, because the part size decides which coding detects an error first.
        case malformed
        case expanded
    }

    static func main() throws {
        let status = try FuzzDriver.run(seeds: { _ in ContentDecoderSeeds.all }) { bytes, count in
            ContentDecoderFuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    private static func test(_ input: [UInt8]) {
        guard input.count > 2 else { return }
        // The low bits choose each coding, the next ones their number, and the highest ones Brotli or Zstandard as the
        // last coding.
        var codings = (0...Int(input[0] >> 4 & 3)).map {
            input[0] >> UInt8($0) & 1 == 0 ? ContentCoding.gzip : .deflate
        }
        #if Brotli
            if input[0] & 0x80 != 0 { codings[codings.count - 1] = .brotli }
        #endif
        #if Zstd
            if input[0] & 0x40 != 0 { codings[codings.count - 1] = .zstd }
        #endif
        let body = input[2...]
        let complete = decode(body, codings, in: body.count)
        let parts = decode(body, codings, in: Int(input[1]) + 1)
        // The part size affects how much is decoded when a limit is exceeded.
        guard complete != .expanded, parts != .expanded else { return }
        precondition(complete == parts, "the result depends on the part size")
    }

    private static func decode(_ body: ArraySlice<UInt8>, _ codings: [ContentCoding], in size: Int) -> Outcome {
        var decoder = ContentDecoder(codings, limit: limit)
        var (rest, decoded) = (body, [UInt8]())
        do throws(ContentDecoder.Failure) {
            while !rest.isEmpty {
                let piece = rest.prefix(size)
                rest = rest.dropFirst(piece.count)
                decoder.receive(ByteBuffer(bytes: piece))
                while let output = try decoder.next() {
                    precondition((1...65536).contains(output.readableBytes), "a part is too large")
                    decoded += output.readableBytesView
                    precondition(decoded.count <= max(1 << 20, 50 * body.count), "the limit is exceeded")
                }
            }
            try decoder.finish()
            return .decoded(decoded)
        } catch {
            switch error {
            case .malformed: return .malformed
            case .expanded: return .expanded
            }
        }
    }
}
