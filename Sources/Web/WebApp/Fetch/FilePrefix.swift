// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Countersign

/// The beginning of a file.
enum FilePrefix {
    /// - Returns: At most so many bytes; none where the file cannot be read.
    static func read(_ path: String, upTo limit: Int) -> [UInt8] {
        guard let input = try? InputDescriptor(path) else { return [] }
        return [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            let room = UnsafeMutableRawBufferPointer(buffer)
            while count < limit, let part = try? input.read(into: .init(rebasing: room[count...])), part > 0 {
                count += part
            }
        }
    }
}
