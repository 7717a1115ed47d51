// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The header that precedes a frame of a TAP interface: Linux's `struct virtio_net_hdr`, in native byte order.
struct OffloadHeader: Hashable {
    /// The size of the header in bytes.
    static let size = 10
    private static let checksumIsPartial: UInt8 = 1

    /// The kind of segmentation that a frame needs.
    enum Segmentation: UInt8 {
        case none = 0
        case tcp4 = 1
        case tcp6 = 4
    }

    /// Whether the checksum covers only the pseudo-header.
    var isChecksumPartial = false
    var segmentation = Segmentation.none
    /// The size of the headers before the data to segment.
    var headerLength: UInt16 = 0
    /// The size of the data in each segment except the last.
    var segmentSize: UInt16 = 0
    /// The offset at which the checksummed bytes start.
    var checksumStart: UInt16 = 0
    /// The offset of the checksum field from ``checksumStart``.
    var checksumOffset: UInt16 = 0

    /// Creates a header without offloads.
    init() {}

    /// Parses a header.
    ///
    /// - Returns: `nil` if the frame requires a kind of segmentation that was not enabled.
    init?(_ bytes: UnsafeRawBufferPointer) {
        // The flag for explicit congestion notification is irrelevant here.
        guard bytes.count >= Self.size, let segmentation = Segmentation(rawValue: bytes[1] & 0x7F) else { return nil }
        isChecksumPartial = bytes[0] & Self.checksumIsPartial != 0
        self.segmentation = segmentation
        headerLength = bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
        segmentSize = bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self)
        checksumStart = bytes.loadUnaligned(fromByteOffset: 6, as: UInt16.self)
        checksumOffset = bytes.loadUnaligned(fromByteOffset: 8, as: UInt16.self)
    }

    /// Writes the header.
    func write(to bytes: UnsafeMutableRawBufferPointer) {
        bytes[0] = isChecksumPartial ? Self.checksumIsPartial : 0
        bytes[1] = segmentation.rawValue
        bytes.storeBytes(of: headerLength, toByteOffset: 2, as: UInt16.self)
        bytes.storeBytes(of: segmentSize, toByteOffset: 4, as: UInt16.self)
        bytes.storeBytes(of: checksumStart, toByteOffset: 6, as: UInt16.self)
        bytes.storeBytes(of: checksumOffset, toByteOffset: 8, as: UInt16.self)
    }

    /// Completes the checksum of a frame that is not segmented.
    ///
    /// - Returns: Whether the header's offsets are within the frame.
    func completeChecksum(of frame: UnsafeMutableRawBufferPointer) -> Bool {
        guard isChecksumPartial else { return true }
        let (start, place) = (Int(checksumStart), Int(checksumStart) + Int(checksumOffset))
        guard place + 2 <= frame.count else { return false }
        var sum = InternetChecksum()
        sum.add(UnsafeRawBufferPointer(frame).part(start..<frame.count))
        // In UDP a zero checksum means that there is none (RFC 768); 0xFFFF is the same number in one's complement.
        frame.storeBytes(of: sum.checksum == 0 ? 0xFFFF : sum.checksum, toByteOffset: place, as: UInt16.self)
        return true
    }
}
