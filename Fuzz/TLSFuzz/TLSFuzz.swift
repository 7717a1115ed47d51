// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import FuzzDriver
import TLSTransport

/// Fuzzes the engine with a server that has the keys, so that changed messages are protected and signed correctly.
///
/// The coverage of BoringSSL guides the fuzzer, and each input is run with OpenSSL too if the build contains it.
@main
enum TLSFuzz {
    /// The number of attempts to obtain the same outcome, because a client reads wrongly encrypted bytes by chance.
    private static let attempts = 8

    static func main() throws {
        let status = try FuzzDriver.run(seeds: { _ in TLSSeeds.all }) { bytes, count in
            TLSFuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    private static func test(_ input: [UInt8]) {
        guard let input = TLSInput(input) else { return }
        for library in TLSLibrary.allCases where library.isAvailable { test(input, library) }
    }

    private static func test(_ input: TLSInput, _ library: TLSLibrary) {
        var (complete, parts): (Set<TLSRun.Outcome>, Set<TLSRun.Outcome>) = ([], [])
        for _ in 0..<attempts {
            complete.insert(TLSRun(input, library, inParts: false).outcome())
            parts.insert(TLSRun(input, library, inParts: true).outcome())
            if !complete.isDisjoint(with: parts) { return }
        }
        // OpenSSL reads on after a question, so that later bytes decide whether it is asked.
        precondition(library == .openSSL, "the outcome depends on the portions: \(complete) and \(parts)")
    }
}
