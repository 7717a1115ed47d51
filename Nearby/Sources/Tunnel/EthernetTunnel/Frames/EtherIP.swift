// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The header of EtherIP (RFC 3378): version 3 in four bits, and twelve that are zero.
enum EtherIP {
    /// The number of the protocol in IP headers.
    static let ipProtocol: UInt8 = 97
    /// Bytes before the frame.
    static let headerSize = 2
    private static let firstByte: UInt8 = 0x30

    /// Writes the header before a frame.
    static func writeHeader(to bytes: UnsafeMutableRawBufferPointer) {
        bytes[0] = firstByte
        bytes[1] = 0
    }

    /// Whether bytes begin with the header.
    ///
    /// A packet with another version, or with bits that are not zero, is discarded (section 3).
    static func hasHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= headerSize && bytes[0] == firstByte && bytes[1] == 0
    }
}
