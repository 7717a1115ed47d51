// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Keychains
import Secrets

/// A valid input of each kind that needs no keys.
enum KeychainSeeds {
    static var all: [[UInt8]] {
        [
            [0, 1] + text("") + text("") + [2, 2, 0] + text("service") + text("account"),
            [0, 1] + text("secret") + [0], [1] + text("salt") + number(1 << 17) + number(8) + number(1) + number(0),
            [2] + Array("name,url,username,password\n\"a\",https://a.test,mary,\"one\"\"two\"\n,,,\n".utf8),
            [3] + RecoveryCode().text.withUnsafeBytes { Array($0) }, [4, 5], [4, 4],
            [4, 2] + Array(repeating: 7, count: 16),
            [5, 0, 0, 20, 1], [5, 0, 64, 3, 9, 0, 1, 2, 3],
        ]
    }

    private static func number(_ number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    private static func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }
}
