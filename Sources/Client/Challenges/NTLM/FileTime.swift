// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Date {
    /// Steps of 100 nanoseconds since 1601, least significant byte first (FILETIME, MS-DTYP section 2.3.3).
    ///
    /// What lies before or beyond its range becomes its first moment, which no server takes for the present.
    var fileTime: [UInt8] {
        let ticks = ((timeIntervalSince1970 + 11_644_473_600) * 10_000_000).rounded(.down)
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt64(exactly: ticks) ?? 0)
        return bytes
    }
}
