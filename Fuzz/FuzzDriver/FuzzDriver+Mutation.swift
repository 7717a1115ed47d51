// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CLibFuzzer

extension FuzzDriver {
    /// Changes bytes with libFuzzer's default mutations.
    package static func mutated(_ bytes: [UInt8], limit: Int) -> [UInt8] {
        guard limit > 0 else { return [] }
        var buffer = Array(bytes.prefix(limit))
        let count = buffer.count
        buffer += [UInt8](repeating: 0, count: limit - count)
        let size = buffer.withUnsafeMutableBufferPointer { LLVMFuzzerMutate($0.baseAddress, count, limit) }
        return Array(buffer.prefix(size))
    }

    /// Changes an input in place, for LLVMFuzzerCustomMutator (https://llvm.org/docs/LibFuzzer.html).
    ///
    /// - Parameters:
    ///   - data: The input, with space up to the limit.
    ///   - count: The length of the input.
    ///   - limit: The maximum length of the new input.
    ///   - change: Returns the new input.
    /// - Returns: The length of the new input.
    package static func mutate(
        _ data: UnsafeMutablePointer<UInt8>, _ count: Int, limit: Int, _ change: ([UInt8]) -> [UInt8]
    ) -> Int {
        let changed = change(input(data, count)).prefix(limit)
        for (index, byte) in changed.enumerated() { data[index] = byte }
        return changed.count
    }
}
