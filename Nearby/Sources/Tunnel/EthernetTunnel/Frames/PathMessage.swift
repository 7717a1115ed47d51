// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A payload with which two peers of this implementation measure the path MTU: a probe padded to the tested length, or
/// its acknowledgment.
///
/// The first four bits are 5, unlike those of EtherIP and IP packets.
struct PathMessage: Hashable {
    enum Kind: UInt8 {
        case probe = 0
        case answer = 1
    }

    /// The size of a message without padding, in bytes.
    static let size = 6
    private static let firstByte: UInt8 = 0x50

    let kind: Kind
    let identifier: UInt32

    init(_ kind: Kind, _ identifier: UInt32) { (self.kind, self.identifier) = (kind, identifier) }

    /// Parses a payload.
    ///
    /// - Returns: `nil` if the payload is not a path message.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.size, bytes[0] == Self.firstByte, let kind = Kind(rawValue: bytes[1]) else {
            return nil
        }
        self.init(kind, bytes.longWord(2))
    }

    /// Writes the message, padded with zeros.
    func write(to bytes: UnsafeMutableRawBufferPointer) {
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        (bytes[0], bytes[1]) = (Self.firstByte, kind.rawValue)
        bytes.setLongWord(2, identifier)
    }
}
