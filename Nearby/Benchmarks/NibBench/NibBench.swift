// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NibArchive

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Prints the medians of reading, writing and instantiating an interface, in milliseconds: `NibBench FILE ROUNDS`.
@main
struct NibBench {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let rounds = Int(arguments[2]), rounds > 0 else {
            print("usage: NibBench FILE ROUNDS")
            return
        }
        let bytes = Array(try Data(contentsOf: URL(filePath: arguments[1])))
        let nib = try Nib(data: bytes)
        let read = try median(rounds) { _ = try Nib(data: bytes).objects.count }
        let write = median(rounds) { _ = nib.nibArchive.count }
        let instantiate = try median(rounds) { _ = try nib.instantiate().topLevelObjects.count }
        print(read, write, instantiate)
    }

    private static func median(_ rounds: Int, _ work: () throws -> Void) rethrows -> Double {
        let clock = ContinuousClock()
        var times: [Duration] = []
        for _ in 0..<rounds { times.append(try clock.measure(work)) }
        return times.sorted()[rounds / 2] / .milliseconds(1)
    }
}
