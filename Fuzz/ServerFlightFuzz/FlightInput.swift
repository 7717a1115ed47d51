// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTransport
import TrustRecipes

/// An input with a byte for the cipher suite, one for the portions, and chunks.
struct FlightInput {
    enum Event {
        case bytes([UInt8])
        case line([UInt8])
    }

    private static let maximumEvents = 256
    static let suites: [UInt16] = [0x1301, 0x1302, 0x1303]

    let portion: Int
    /// The events in their order, without consecutive `bytes` events.
    private(set) var events: [Event] = []
    /// The number of bytes without the key log lines.
    private(set) var count = 0
    private var pending: [UInt8] = []

    init?(_ input: [UInt8]) {
        guard input.count > 2 else { return nil }
        portion = Int(input[1]) + 1
        var sealer = RecordSealer(Self.suites[Int(input[0]) % Self.suites.count])
        for chunk in FlightChunk.all(input[2...]) {
            // The input may slightly exceed the limit of the reader.
            for _ in 0..<chunk.count where count < 2 * ServerFlight.limit { append(chunk, &sealer) }
        }
        if !pending.isEmpty { events.append(.bytes(pending)) }
    }

    private mutating func append(_ chunk: FlightChunk, _ sealer: inout RecordSealer) {
        let (type, rest) = (chunk.content.first ?? 0, Array(chunk.content.dropFirst()))
        switch chunk.kind {
        case .bytes: append(chunk.content)
        case .handshake: append(FlightRecipe.record(22, chunk.content))
        case .sealedHandshake: append(sealer.seal(22, chunk.content))
        case .sealed: append(sealer.seal(type, rest))
        case .record: append(FlightRecipe.record(type, rest))
        case .changeCipherSpec: append(FlightRecipe.record(20, [1]))
        case .line: append(line: chunk.content)
        case .secret: append(line: Array(FlightRecipe.line(sealer.secret).utf8))
        }
    }

    private mutating func append(_ bytes: [UInt8]) {
        count += bytes.count
        pending += bytes
    }

    private mutating func append(line: [UInt8]) {
        guard events.count < Self.maximumEvents else { return }
        if !pending.isEmpty { events.append(.bytes(pending)) }
        pending = []
        events.append(.line(line))
    }
}
