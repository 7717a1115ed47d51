// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A time as initiations carry it, so that a replayed one is older than the last (cr.yp.to/libtai/tai64.html).
struct TAI64N: Comparable, Sendable {
    private let seconds: UInt64
    private let nanoseconds: UInt32

    /// - Parameter unixTime: The time since 1970, for which one before counts as 0; leap seconds are not counted,
    ///   as WireGuard's other programs do not.
    init(unixTime: Duration) {
        let (seconds, attoseconds) = max(unixTime, .zero).components
        // 10 s were the difference between TAI and UTC in 1970.
        self.seconds = 0x4000_0000_0000_000A &+ UInt64(bitPattern: seconds)
        // The paper lets a sender round, so that the time reveals less of the clock (Linux does so too).
        nanoseconds = UInt32(attoseconds / 1_000_000_000) & ~0xFF_FFFF
    }

    init?(_ bytes: [UInt8]) {
        guard bytes.count == 12 else { return nil }
        (seconds, nanoseconds) = bytes.withUnsafeBytes {
            (
                UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)),
                UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
            )
        }
    }

    var bytes: [UInt8] {
        withUnsafeBytes(of: seconds.bigEndian) { Array($0) } + withUnsafeBytes(of: nanoseconds.bigEndian) { Array($0) }
    }

    static func < (one: Self, other: Self) -> Bool {
        (one.seconds, one.nanoseconds) < (other.seconds, other.nanoseconds)
    }
}
