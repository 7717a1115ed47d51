// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The four WireGuard message types (paper, section 5.4); a message starts with the type and three zero bytes.
enum MessageKind: UInt8, CaseIterable {
    case initiation = 1
    case response = 2
    case cookieReply = 3
    case transportData = 4

    /// Returns the type of a datagram, if its length matches.
    init?(_ datagram: UnsafeRawBufferPointer) {
        guard datagram.count >= 4, datagram[1] | datagram[2] | datagram[3] == 0, let kind = Self(rawValue: datagram[0])
        else { return nil }
        switch kind {
        case .initiation: guard datagram.count == InitiationLayout.length else { return nil }
        case .response: guard datagram.count == ResponseLayout.length else { return nil }
        case .cookieReply: guard datagram.count == CookieReplyLayout.length else { return nil }
        case .transportData: guard datagram.count >= TransportLayout.overhead else { return nil }
        }
        self = kind
    }

    /// The first four bytes of a message.
    var prefix: [UInt8] { [rawValue, 0, 0, 0] }
}

/// The offsets of the fields of an initiation.
enum InitiationLayout {
    static let sender = 4
    static let ephemeral = 8..<40
    static let encryptedStatic = 40..<88
    static let encryptedTimestamp = 88..<116
    static let length = 148
}

/// The offsets of the fields of a response.
enum ResponseLayout {
    static let sender = 4
    static let receiver = 8
    static let ephemeral = 12..<44
    static let encryptedNothing = 44..<60
    static let length = 92
}

/// The offsets of the fields of a cookie reply.
enum CookieReplyLayout {
    static let receiver = 4
    static let nonce = 8..<32
    static let encryptedCookie = 32..<64
    static let length = 64
}

/// The offsets of the fields of transport data.
@usableFromInline enum TransportLayout {
    static let receiver = 4
    static let counter = 8
    @inlinable static var header: Int { 16 }
    @inlinable static var tag: Int { 16 }
    @inlinable static var overhead: Int { header + tag }
}

extension UnsafeRawBufferPointer {
    /// Returns a slice of the buffer.
    func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self[range]) }

    /// Returns a four-byte little-endian integer.
    func word(at offset: Int) -> UInt32 { UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }

    /// Returns an eight-byte little-endian integer.
    func longWord(at offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

extension FixedWidthInteger {
    /// The bytes in little-endian order.
    var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
}
