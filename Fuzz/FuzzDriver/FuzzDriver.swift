// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CLibFuzzer
import Foundation

/// Passes a fuzz target's inputs to libFuzzer, or writes its seeds.
package enum FuzzDriver {
    /// Runs the command line: `--seeds FOLDER [LIMBO]` writes the seeds, and libFuzzer handles all other arguments.
    ///
    /// - Parameters:
    ///   - seeds: Returns the initial inputs, given the path of x509-limbo's suite if there is one.
    ///   - callback: Runs one input, and traps on an error.
    /// - Returns: The exit status.
    /// - Throws: An error of the seeds, or of writing them.
    package static func run(
        seeds: (_ limbo: String?) throws -> [[UInt8]], callback: @escaping Callback
    ) throws -> Int32 {
        let arguments = CommandLine.arguments
        guard arguments.count > 2, arguments[1] == "--seeds" else {
            var (count, values) = (CommandLine.argc, Optional(CommandLine.unsafeArgv))
            return LLVMFuzzerRunDriver(&count, &values, callback)
        }
        let folder = URL(filePath: arguments[2], directoryHint: .isDirectory)
        for (index, seed) in try seeds(arguments.count > 3 ? arguments[3] : nil).enumerated() {
            try Data(seed).write(to: folder.appending(path: "seed-\(index)"))
        }
        return 0
    }

    package typealias Callback = @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32

    /// Returns an input as an array.
    package static func input(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
        Array(UnsafeBufferPointer(start: bytes, count: count))
    }
}
