// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import TrustRecipes

/// Server flights with and without a certificate request.
enum FlightSeeds {
    private static let names: [[UInt8]] = (0..<3).map { [0x30, 2, 0x31, $0] }

    static let all: [[UInt8]] =
        FlightInput.suites.indices.map { input(suite: $0, portion: 7 * $0, tls13(FlightInput.suites[$0], names)) }
        + [
            input(portion: 0, tls12(names)), input(portion: 255, tls12([])),
            input(portion: 12, [FlightChunk(.handshake, retry), FlightChunk(.changeCipherSpec)] + tls13(0x1301, [])),
            input(portion: 30, [FlightChunk(.bytes, Array("HTTP/1.1 400 Bad Request\r\n".utf8))]),
            input(portion: 99, tls12(names).prefix(1) + [FlightChunk(.handshake, certificate(16_000), count: 32)]),
            input(portion: 3, tls13(0x1301, names).filter { $0.kind != .secret } + [FlightChunk(.secret)]),
            input(portion: 3, tls13(0x1301, names) + [FlightChunk(.sealed, [21, 2, 40])]),
        ]

    private static let retry = FlightRecipe.message(2, FlightRecipe.hello(suite: 0x1301, isTLS13: true, isRetry: true))

    private static func certificate(_ count: Int) -> [UInt8] {
        FlightRecipe.message(11, [UInt8](repeating: 1, count: count))
    }

    private static func input(suite: Int = 0, portion: Int, _ chunks: some Collection<FlightChunk>) -> [UInt8] {
        [UInt8(truncatingIfNeeded: suite), UInt8(truncatingIfNeeded: portion)] + chunks.flatMap(\.bytes)
    }

    private static func tls12(_ names: [[UInt8]]) -> [FlightChunk] {
        let request = FlightRecipe.message(13, FlightRecipe.requestOfTLS12(names))
        return [
            FlightChunk(.handshake, FlightRecipe.message(2, FlightRecipe.hello(suite: 0xC02B, isTLS13: false))),
            FlightChunk(.handshake, certificate(40) + FlightRecipe.message(12, [2, 2]) + request.prefix(9)),
            FlightChunk(.handshake, request.dropFirst(9) + FlightRecipe.message(14, [])),
        ]
    }

    private static func tls13(_ suite: UInt16, _ names: [[UInt8]]) -> [FlightChunk] {
        let request = FlightRecipe.message(13, FlightRecipe.requestOfTLS13(names))
        return [
            FlightChunk(.handshake, FlightRecipe.message(2, FlightRecipe.hello(suite: suite, isTLS13: true))),
            FlightChunk(.secret), FlightChunk(.changeCipherSpec),
            FlightChunk(.sealedHandshake, FlightRecipe.message(8, [0, 0]) + request.prefix(6)),
            FlightChunk(.sealed, [22] + request.dropFirst(6) + certificate(40)),
            FlightChunk(.line, Array(FlightRecipe.line(FlightRecipe.secret).utf8)),
        ]
    }
}
