// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import FuzzDriver
import TrustRecipes

/// Changes a chunk and corrects its length, or changes bytes in one of four cases.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32) -> Int {
    FuzzDriver.mutate(data, count, limit: limit) { input in
        var chunks = FlightChunk.all(input.dropFirst(2))
        var generator = SplitMix64(seed: UInt64(seed))
        guard !chunks.isEmpty, Int.random(in: 0..<4, using: &generator) > 0 else {
            return FuzzDriver.mutated(input, limit: limit)
        }
        change(&chunks, using: &generator)
        return Array(input.prefix(2)) + chunks.flatMap(\.bytes)
    }
}

private func change(_ chunks: inout [FlightChunk], using generator: inout SplitMix64) {
    let index = Int.random(in: 0..<chunks.count, using: &generator)
    let other = Int.random(in: 0..<chunks.count, using: &generator)
    switch Int.random(in: 0..<10, using: &generator) {
    case 0: chunks.remove(at: index)
    case 1: chunks.insert(chunks[other], at: index)
    case 2: chunks.swapAt(index, other)
    case 3: chunks[index].count = .random(in: 1...32, using: &generator)
    case 4: split(&chunks, at: index, using: &generator)
    case 5: FlightChunk.Kind(rawValue: .random(in: 0..<8, using: &generator)).map { chunks[index].kind = $0 }
    default: chunks[index].content = FuzzDriver.mutated(chunks[index].content, limit: 1 << 14)
    }
}

/// Splits a chunk, because a message may span records.
private func split(_ chunks: inout [FlightChunk], at index: Int, using generator: inout SplitMix64) {
    var (first, second) = (chunks[index], chunks[index])
    let place = Int.random(in: 0...first.content.count, using: &generator)
    first.content = Array(first.content.prefix(place))
    second.content = Array(second.content.dropFirst(place))
    chunks.replaceSubrange(index...index, with: [first, second])
}
