// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

@testable import Challenges

extension DigestAlgorithm {
    /// Returns the bytes as lowercase hexadecimal digits.
    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    func hexDigest(_ text: String) -> String { digest(text).description }
}
