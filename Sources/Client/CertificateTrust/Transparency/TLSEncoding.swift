// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Writes the TLS presentation language.
enum TLSEncoding {
    static func integer(_ value: UInt64, octets: Int) -> [UInt8] {
        (0..<octets).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }

    static func vector(_ content: some Collection<UInt8>, lengthOctets: Int) -> [UInt8] {
        integer(UInt64(content.count), octets: lengthOctets) + content
    }
}
