// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What a TAP interface says of a frame, before it: `struct virtio_net_hdr` of Linux, in the machine's byte order.
struct OffloadHeader: Hashable {
    /// The bytes that it takes.
    static let size = 10
    private static let checksumIsPartial: UInt8 = 1

    /// What kind of segments a frame is to be cut into.
    enum Segmentation: UInt8 {
        case none = 0
        case tcp4 = 1
        case tcp6 = 4
    }

    /// Whether the checksum has only the pseudo-header in it so far.
    var isChecksumPartial = false
    var segmentation = Segmentation.none
    /// The bytes of headers before the data that is cut.
    var headerLength: UInt16 = 0
    /// The bytes of data in each segment but the last.
    var segmentSize: UInt16 = 0
    /// From where on the checksum is computed.
    var checksumStart: UInt16 = 0
    /// Where the checksum is, from the start.
    var checksumOffset: UInt16 = 0

    /// A header that says nothing.
    init() {}

    /// Reads a header.
    ///
    /// - Returns: `nil` where the frame is to be cut in a way that was not asked for.
    init?(_ bytes: UnsafeRawBufferPointer) {
        // The flag for congestion notification changes nothing here.
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

    /// Completes the checksum of a frame that is not cut.
    ///
    /// - Returns: Whether the header's places are within the frame.
    func completeChecksum(of frame: UnsafeMutableRawBufferPointer) -> Bool {
        guard isChecksumPartial else { return true }
        let (start, place) = (Int(checksumStart), Int(checksumStart) + Int(checksumOffset))
        guard place + 2 <= frame.count else { return false }
        var sum = InternetChecksum()
        sum.add(UnsafeRawBufferPointer(frame).part(start..<frame.count))
        // Zero means "none" in UDP (RFC 768), and is the same number as this one.
        frame.storeBytes(of: sum.checksum == 0 ? 0xFFFF : sum.checksum, toByteOffset: place, as: UInt16.self)
        return true
    }
}
