// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A payload by which two peers of this program find how long packets may be: a probe, padded to the length in question, or its answer.
///
/// Its first four bits are 5, so that it is told from EtherIP and IP.
struct PathMessage: Hashable {
    enum Kind: UInt8 {
        case probe = 0
        case answer = 1
    }

    /// The bytes of a message without padding.
    static let size = 6
    private static let firstByte: UInt8 = 0x50

    let kind: Kind
    let identifier: UInt32

    init(_ kind: Kind, _ identifier: UInt32) { (self.kind, self.identifier) = (kind, identifier) }

    /// Reads a payload.
    ///
    /// - Returns: `nil` where it is something else.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.size, bytes[0] == Self.firstByte, let kind = Kind(rawValue: bytes[1]) else {
            return nil
        }
        self.init(kind, bytes.longWord(2))
    }

    /// Writes the message, and zeros behind it.
    func write(to bytes: UnsafeMutableRawBufferPointer) {
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        (bytes[0], bytes[1]) = (Self.firstByte, kind.rawValue)
        bytes.setLongWord(2, identifier)
    }
}
