// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import FuzzDriver
import TrustRecipes

/// Changes a record or a DER element and corrects the lengths, or changes bytes in one of four cases.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32) -> Int {
    FuzzDriver.mutate(data, count, limit: limit) { input in
        var records = ChainRecord.all(input)
        var generator = SplitMix64(seed: UInt64(seed))
        guard !records.isEmpty, Int.random(in: 0..<4, using: &generator) > 0 else {
            return FuzzDriver.mutated(input, limit: limit)
        }
        change(&records, using: &generator)
        return records.flatMap(\.bytes)
    }
}

private func change(_ records: inout [ChainRecord], using generator: inout SplitMix64) {
    let index = Int.random(in: 0..<records.count, using: &generator)
    let other = Int.random(in: 0..<records.count, using: &generator)
    switch Int.random(in: 0..<10, using: &generator) {
    case 0: records.remove(at: index)
    case 1: records.insert(records[other], at: index)
    case 2: records.swapAt(index, other)
    case 3: records[index].kind = ChainRecord.Kind(UInt8.random(in: 0...255, using: &generator))
    case 4: records[index].content = FuzzDriver.mutated(records[index].content, limit: 4096)
    default: changeElement(of: &records[index], using: &generator)
    }
}

private func changeElement(of record: inout ChainRecord, using generator: inout SplitMix64) {
    guard let prefix = record.kind.prefix, record.content.count > prefix else {
        record.content = FuzzDriver.mutated(record.content, limit: 512)
        return
    }
    var header = Array(record.content.prefix(prefix))
    if !header.isEmpty, Int.random(in: 0..<16, using: &generator) == 0 {
        header[0] = UInt8.random(in: 0..<8, using: &generator)
    }
    var tree = DERTree(Array(record.content.dropFirst(prefix)))
    tree.mutate(limit: 2048, using: &generator)
    record.content = header + tree.bytes
}
