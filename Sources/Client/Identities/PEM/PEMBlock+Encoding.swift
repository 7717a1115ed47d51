// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension PEMBlock {
    /// The block as text (RFC 7468 section 3): lines of 64 characters, each ending in a line feed.
    static func encode(_ label: String, _ der: [UInt8]) -> [UInt8] {
        var text = Array("-----BEGIN \(label)-----\n".utf8)
        let digits = Array(Data(der).base64EncodedString().utf8)
        for start in stride(from: 0, to: digits.count, by: 64) {
            text += digits[start..<min(start + 64, digits.count)] + [UInt8(ascii: "\n")]
        }
        return text + "-----END \(label)-----\n".utf8
    }
}
