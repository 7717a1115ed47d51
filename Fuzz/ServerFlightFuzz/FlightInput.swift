// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTransport
import TrustRecipes

/// A byte for the suite and one for the portions, then chunks.
struct FlightInput {
    enum Event {
        case bytes([UInt8])
        case line([UInt8])
    }

    private static let maximumEvents = 256
    static let suites: [UInt16] = [0x1301, 0x1302, 0x1303]

    let portion: Int
    /// In their order; no two in a row are bytes.
    private(set) var events: [Event] = []
    /// How many bytes there are, beside the lines.
    private(set) var count = 0
    private var pending: [UInt8] = []

    init?(_ input: [UInt8]) {
        guard input.count > 2 else { return nil }
        portion = Int(input[1]) + 1
        var sealer = RecordSealer(Self.suites[Int(input[0]) % Self.suites.count])
        for chunk in FlightChunk.all(input[2...]) {
            // Somewhat more than is read.
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
