// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The EtherIP header (RFC 3378): the version, 3, in four bits, and twelve zero bits.
enum EtherIP {
    /// The protocol number in IP headers.
    static let ipProtocol: UInt8 = 97
    /// The size of the header in bytes.
    static let headerSize = 2
    private static let firstByte: UInt8 = 0x30

    /// Writes the header before a frame.
    static func writeHeader(to bytes: UnsafeMutableRawBufferPointer) {
        bytes[0] = firstByte
        bytes[1] = 0
    }

    /// Returns whether bytes start with the header.
    ///
    /// A packet with another version, or with nonzero reserved bits, is discarded (section 3).
    static func hasHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= headerSize && bytes[0] == firstByte && bytes[1] == 0
    }
}
