// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The four messages of WireGuard (paper, section 5.4), each after its type and three zero bytes.
enum MessageKind: UInt8, CaseIterable {
    case initiation = 1
    case response = 2
    case cookieReply = 3
    case transportData = 4

    /// The kind of a datagram, where its length is right.
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

/// Where the fields of an initiation are.
enum InitiationLayout {
    static let sender = 4
    static let ephemeral = 8..<40
    static let encryptedStatic = 40..<88
    static let encryptedTimestamp = 88..<116
    static let length = 148
}

/// Where the fields of a response are.
enum ResponseLayout {
    static let sender = 4
    static let receiver = 8
    static let ephemeral = 12..<44
    static let encryptedNothing = 44..<60
    static let length = 92
}

/// Where the fields of a cookie reply are.
enum CookieReplyLayout {
    static let receiver = 4
    static let nonce = 8..<32
    static let encryptedCookie = 32..<64
    static let length = 64
}

/// Where the fields of transport data are.
@usableFromInline enum TransportLayout {
    static let receiver = 4
    static let counter = 8
    @inlinable static var header: Int { 16 }
    @inlinable static var tag: Int { 16 }
    @inlinable static var overhead: Int { header + tag }
}

extension UnsafeRawBufferPointer {
    /// The bytes of a range as a buffer.
    func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self[range]) }

    /// A number of four bytes, low byte first.
    func word(at offset: Int) -> UInt32 { UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }

    /// A number of eight bytes, low byte first.
    func longWord(at offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

extension FixedWidthInteger {
    /// The bytes, low byte first.
    var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
}
