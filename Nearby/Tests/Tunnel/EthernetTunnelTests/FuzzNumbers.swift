// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation

/// A generator of random numbers (SplitMix64) that prints its seed, so that a failed run can be repeated with
/// `TUNNEL_FUZZ_SEED`.
struct FuzzNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(of purpose: String) {
        let given = ProcessInfo.processInfo.environment["TUNNEL_FUZZ_SEED"].flatMap { UInt64($0) }
        state = given ?? .random(in: .min ... .max)
        // The seed is printed first, because a failure may crash the process.
        print("fuzzing \(purpose): TUNNEL_FUZZ_SEED=\(state)")
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
