// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The timestamp of an initiation; a replayed initiation is not newer than the latest one
/// (cr.yp.to/libtai/tai64.html).
struct TAI64N: Comparable, Sendable {
    private let seconds: UInt64
    private let nanoseconds: UInt32

    /// - Parameter unixTime: The time since 1970; a negative time counts as 0, and leap seconds are not counted, as in
    ///   other WireGuard implementations.
    init(unixTime: Duration) {
        let (seconds, attoseconds) = max(unixTime, .zero).components
        // The difference between TAI and UTC was 10 s in 1970.
        self.seconds = 0x4000_0000_0000_000A &+ UInt64(bitPattern: seconds)
        // The paper allows rounding, so that the time reveals less about the clock (Linux also rounds it).
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
