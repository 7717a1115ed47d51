// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import FuzzDriver
import TLSRecipes
import TrustRecipes

/// Changes a step of the script, and corrects the lengths around a changed part.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32) -> Int {
    FuzzDriver.mutate(data, count, limit: limit) { input in
        var chunks = TLSChunk.all(input.dropFirst(TLSInput.prefix))
        var generator = SplitMix64(seed: UInt64(seed))
        guard !chunks.isEmpty else { return FuzzDriver.mutated(input, limit: limit) }
        var prefix = Array(input.prefix(TLSInput.prefix))
        if Int.random(in: 0..<8, using: &generator) == 0 {
            prefix = FuzzDriver.mutated(prefix, limit: TLSInput.prefix)
            prefix += [UInt8](repeating: 0, count: TLSInput.prefix - prefix.count)
        }
        for _ in 0..<Int.random(in: 1...2, using: &generator) where !chunks.isEmpty {
            change(&chunks, using: &generator)
        }
        return prefix + chunks.flatMap(\.bytes)
    }
}

private func change(_ chunks: inout [TLSChunk], using generator: inout SplitMix64) {
    let index = Int.random(in: 0..<chunks.count, using: &generator)
    let other = Int.random(in: 0..<chunks.count, using: &generator)
    switch Int.random(in: 0..<16, using: &generator) {
    case 0: chunks.remove(at: index)
    case 1: chunks.insert(chunks[other], at: index)
    case 2: chunks.swapAt(index, other)
    case 3: chunks[index].exponent = .random(in: 0..<8, using: &generator)
    case 4: split(&chunks, at: index, using: &generator)
    case 5: chunks[index].kind = .random(in: 0..<10, using: &generator)
    case 6, 7: tamper(&chunks, at: index, using: &generator)
    case 8, 9: chunks[index].content = FuzzDriver.mutated(chunks[index].content, limit: 1 << 14)
    case 10:
        // A record of an alert, or a common handshake message.
        let steps: [ServerScript.Step] = [
            .record(21, [1, 90]), .record(21, [1, 0]), .record(21, [2, 40]), .record(23, []), .record(22, []),
            .forgery(0, []), .message(24, [1]), .keys(.update), .message(4, ServerScript.ticket13(1)),
            .record(23, [1, 2, 3]),
        ]
        chunks.insert(TLSChunk(steps.randomElement(using: &generator) ?? .changeCipherSpec), at: index)
    default: changeVector(in: &chunks[index], using: &generator)
    }
}

/// Replaces a message by one in two records.
private func split(_ chunks: inout [TLSChunk], at index: Int, using generator: inout SplitMix64) {
    guard case .message(let type, let body) = chunks[index].step else { return }
    let message = ServerScript.message(type, body)
    let place = Int.random(in: 0...message.count, using: &generator)
    chunks.replaceSubrange(
        index...index,
        with: [
            TLSChunk(.omission(type, body)), TLSChunk(.record(22, Array(message.prefix(place)))),
            TLSChunk(.record(22, Array(message.dropFirst(place)))),
        ])
}

/// Changes a message after it was signed.
private func tamper(_ chunks: inout [TLSChunk], at index: Int, using generator: inout SplitMix64) {
    guard case .message(let type, let body) = chunks[index].step else { return }
    var forgery = TLSChunk(.forgery(type, body))
    changeVector(in: &forgery, using: &generator)
    chunks.replaceSubrange(index...index, with: [TLSChunk(.omission(type, body)), forgery])
}

/// Changes the content of a vector, and corrects its length and those of the vectors around it.
private func changeVector(in chunk: inout TLSChunk, using generator: inout SplitMix64) {
    let vectors = Vector.all(in: chunk.content)
    guard let vector = vectors.randomElement(using: &generator) else {
        return chunk.content = FuzzDriver.mutated(chunk.content, limit: 1 << 14)
    }
    let old = Array(chunk.content[vector.content])
    let new: [UInt8] =
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: []
        case 1: old + old
        case 2: vectors.randomElement(using: &generator).map { old + chunk.content[$0.all] } ?? old
        default: FuzzDriver.mutated(old, limit: 1 << 12)
        }
    let end = chunk.content.count
    chunk.content.replaceSubrange(vector.content, with: new)
    for outer in vectors where outer.encloses(vector, end: end) {
        let length = ServerScript.integer(outer.content.count + new.count - old.count, octets: outer.octets)
        chunk.content.replaceSubrange(outer.all.lowerBound..<outer.content.lowerBound, with: length)
    }
}

/// A part of a message that begins with its length.
private struct Vector {
    let octets: Int
    let all: Range<Int>

    var content: Range<Int> { all.dropFirst(octets) }

    /// Returns whether another vector is this one or a part of it; the end of an enclosing vector is that of the other
    /// or of the message.
    func encloses(_ other: Vector, end: Int) -> Bool {
        all == other.all
            || content.lowerBound <= other.all.lowerBound && all.upperBound >= other.all.upperBound
                && (all.upperBound == other.all.upperBound || all.upperBound == end)
    }

    /// Finds vectors by their lengths, and some other bytes by chance.
    static func all(in message: [UInt8]) -> [Vector] {
        message.indices.flatMap { start in
            (1...3).compactMap { octets in
                let length = message[start...].prefix(octets).reduce(0) { $0 << 8 | Int($1) }
                let end = start + octets + length
                return start > 0 && length > 0 && end <= message.count ? Vector(octets: octets, all: start..<end) : nil
            }
        }
    }
}
