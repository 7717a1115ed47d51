// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import Testing
import TrustRecipes

@testable import Countersign
@testable import HTTPTransport

/// Responses with random changes, which combine line endings and framing in ways that no table lists.
@Suite struct ResponseParserPropertyTests {
    private static let seeds = [
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX: y\r\n\r\ngood",
        "HTTP/1.1 200 OK\nContent-Length: 4\nX: y\n\ngood",
        "HTTP/1.1 103 Early Hints\r\nX: y\n\r\nHTTP/1.1 200 OK\nContent-Length: 4\r\n\ngood",
        "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\r\ngo\r\n2;a=b\r\nod\r\n0\r\nA: b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngood\r\n0\r\n\r\n",
        "HTTP/1.0 200 OK\n\ngood",
    ].map { Array($0.utf8) }

    private static let letters = Array("\r\n\r\n :;,0aA\t\u{0}".utf8)

    private static func mutated(using generator: inout SplitMix64) -> [UInt8] {
        var bytes = seeds.randomElement(using: &generator) ?? []
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0...2, using: &generator) {
            case 0: bytes[index] = letters.randomElement(using: &generator) ?? 0
            case 1: bytes.insert(letters.randomElement(using: &generator) ?? 0, at: index)
            default: if bytes.count > 1 { bytes.remove(at: index) }
            }
        }
        return bytes
    }

    /// Returns all parts in order, with each body joined, or `nil` if the parser refuses the bytes.
    private static func read(_ pieces: [ArraySlice<UInt8>], _ lineTerminator: HeadLineTerminator) -> [ResponseParser
        .Part]?
    {
        var (parser, parts) = (
            ResponseParser(headLimit: 4_096, lineTerminator: lineTerminator), [ResponseParser.Part]()
        )
        func note(_ part: ResponseParser.Part) {
            guard case .body(let buffer) = part, case .body(var complete)? = parts.last else {
                return parts.append(part)
            }
            complete.writeImmutableBuffer(buffer)
            parts[parts.count - 1] = .body(complete)
        }
        parser.expect(.init())
        do {
            for piece in pieces {
                parser.append(ByteBuffer(bytes: piece))
                while let part = try parser.next() { note(part) }
            }
            if let part = parser.close() { note(part) }
        } catch {
            return nil
        }
        return parts
    }

    @Test("Lenient parsing gives the same result for any response that strict parsing accepts")
    func strictIsPartOfLenient() {
        var generator = SplitMix64(seed: 15)
        var (both, lenientAlone) = (0, 0)
        for _ in 0..<20_000 {
            let bytes = Self.mutated(using: &generator)
            let lenient = Self.read([bytes[...]], .lineFeed)
            guard let strict = Self.read([bytes[...]], .carriageReturnLineFeed) else {
                if lenient != nil { lenientAlone += 1 }
                continue
            }
            #expect(lenient == strict, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
            both += 1
        }
        // If these counts were low, the changes would be too large to test anything.
        #expect(both > 1_000 && lenientAlone > 1_000)
    }

    @Test(
        "The division of a response into pieces does not change the result",
        arguments: [HeadLineTerminator.carriageReturnLineFeed, .lineFeed])
    func pieces(lineTerminator: HeadLineTerminator) {
        var generator = SplitMix64(seed: 16)
        for _ in 0..<5_000 {
            let bytes = Self.mutated(using: &generator)
            let index = Int.random(in: 0...bytes.count, using: &generator)
            let complete = Self.read([bytes[...]], lineTerminator)
            #expect(Self.read([bytes[..<index], bytes[index...]], lineTerminator) == complete, "\(bytes) at \(index)")
        }
    }
}
