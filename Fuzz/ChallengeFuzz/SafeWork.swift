// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import EssentialFoundation

/// A check that excludes challenges with many SCRAM iterations, which take some seconds and are allowed.
enum SafeWork {
    static func isBounded(_ challenge: HTTPChallenge) -> Bool {
        guard let data = challenge["data"].flatMap({ Data(base64Encoded: $0) }) else { return true }
        let count = String(decoding: data, as: UTF8.self).split(separator: ",").first { $0.hasPrefix("i=") }
        return count.flatMap { Int($0.dropFirst(2)) }.map { $0 < 10_000 } ?? true
    }
}
