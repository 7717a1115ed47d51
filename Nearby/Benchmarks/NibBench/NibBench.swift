// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NibArchive

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Prints the minimum time to read an interface, and the median times to read, write and instantiate it, in
/// milliseconds: `NibBench FILE ROUNDS`.
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
        let read = try times(rounds) { _ = try Nib(data: bytes).objects.count }
        let write = times(rounds) { _ = nib.nibArchive.count }
        let instantiate = try times(rounds) { _ = try nib.instantiate().topLevelObjects.count }
        print(read[0], read[rounds / 2], write[rounds / 2], instantiate[rounds / 2])
    }

    private static func times(_ rounds: Int, _ work: () throws -> Void) rethrows -> [Double] {
        let clock = ContinuousClock()
        var times: [Duration] = []
        for _ in 0..<rounds { times.append(try clock.measure(work)) }
        return times.sorted().map { $0 / .milliseconds(1) }
    }
}
