// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto

/// The keys of a session, which do not change, so that one thread may seal while others open without a lock.
///
/// The keys are cleared with the last reference.
package final class WireGuardSession: Sendable {
    let peer: WireGuardPublicKey
    /// The index under which the peer's packets arrive.
    let localIndex: UInt32
    /// The index that our packets carry.
    let remoteIndex: UInt32
    let isInitiator: Bool
    private let sending: TransportKey
    private let receiving: TransportKey

    init?(
        peer: WireGuardPublicKey, localIndex: UInt32, remoteIndex: UInt32, isInitiator: Bool, sending: SymmetricKey,
        receiving: SymmetricKey
    ) {
        guard let sending = TransportKey(sending), let receiving = TransportKey(receiving) else { return nil }
        (self.peer, self.isInitiator) = (peer, isInitiator)
        (self.localIndex, self.remoteIndex) = (localIndex, remoteIndex)
        (self.sending, self.receiving) = (sending, receiving)
    }

    /// Decrypts a packet in place, without the check for replays, which ``WireGuardDevice/accept(_:from:now:)`` makes.
    ///
    /// - Parameter datagram: A whole datagram for which ``WireGuardDevice/session(receiving:)`` returned this session.
    /// - Returns: The packet; `nil` if it is not authentic.
    package func open(_ datagram: UnsafeMutableRawBufferPointer) -> WireGuardPacket? {
        let bytes = UnsafeRawBufferPointer(datagram)
        guard MessageKind(bytes) == .transportData, bytes.word(at: TransportLayout.receiver) == localIndex else {
            return nil
        }
        let counter = bytes.longWord(at: TransportLayout.counter)
        let text = UnsafeMutableRawBufferPointer(rebasing: datagram[TransportLayout.header...])
        guard counter < Limits.rejectAfterMessages, receiving.open(text, counter: counter) else { return nil }
        return WireGuardPacket(
            payload: TransportLayout.header..<(datagram.count - TransportLayout.tag), peer: peer, index: localIndex,
            counter: counter)
    }

    /// Encrypts a payload in place.
    func seal(_ buffer: UnsafeMutableRawBufferPointer, payload count: Int, limit: Int, counter: UInt64) -> Int {
        let padded = count > limit ? count : min((count + 15) & ~15, limit)
        let length = TransportLayout.overhead + padded
        precondition(count >= 0 && length <= buffer.count, "the buffer has no room for a packet's padding and tag")
        buffer.storeBytes(of: UInt32(MessageKind.transportData.rawValue).littleEndian, as: UInt32.self)
        buffer.storeBytes(of: remoteIndex.littleEndian, toByteOffset: TransportLayout.receiver, as: UInt32.self)
        buffer.storeBytes(of: counter.littleEndian, toByteOffset: TransportLayout.counter, as: UInt64.self)
        for index in count..<padded { buffer[TransportLayout.header + index] = 0 }
        let text = UnsafeMutableRawBufferPointer(rebasing: buffer[TransportLayout.header..<length])
        // BoringSSL fails for texts above 256 GiB alone.
        precondition(sending.seal(text, count: padded, counter: counter))
        return length
    }
}

/// A packet that was decrypted and that may yet be a replayed one.
package struct WireGuardPacket: Sendable {
    /// The range of the payload and its padding in the datagram; empty for a keepalive.
    package let payload: Range<Int>
    let peer: WireGuardPublicKey
    let index: UInt32
    let counter: UInt64
}

/// A range of a session's counters, which one thread uses up, so that no counter is used twice.
///
/// The type is public so that its numbers are known in other modules without a call, as `Instant` is.
public struct WireGuardReservation: ~Copyable, Sendable {
    /// The number of bytes in front of the payload.
    @inlinable public static var headroom: Int { TransportLayout.header }
    /// The number of bytes of a datagram besides the payload and its padding.
    @inlinable public static var overhead: Int { TransportLayout.overhead }
    /// The number of bytes that are needed behind the payload, for padding and tag.
    @inlinable public static var tailroom: Int { 15 + TransportLayout.tag }

    private let session: WireGuardSession
    private var counters: Range<UInt64>
    /// The endpoint to which the packets are sent.
    public let endpoint: WireGuardEndpoint

    init(_ session: WireGuardSession, counters: Range<UInt64>, endpoint: WireGuardEndpoint) {
        (self.session, self.counters, self.endpoint) = (session, counters, endpoint)
    }

    /// How many packets can still be sealed; for the peer, counters that are not used are lost packets.
    public var remaining: Int { counters.count }

    /// Encrypts a payload in place and writes header, padding and tag around it (paper, section 5.4.6).
    ///
    /// - Parameters:
    ///   - buffer: ``headroom`` bytes, the payload, and ``tailroom`` bytes or more.
    ///   - count: The number of bytes of the payload.
    ///   - limit: The longest padded payload, in bytes; a longer payload is not padded.
    /// - Returns: The length of the datagram, which begins where the buffer does.
    /// - Precondition: ``remaining`` is not 0.
    public mutating func seal(
        _ buffer: UnsafeMutableRawBufferPointer, payload count: Int, limit: Int = .max
    ) -> Int {
        let counter = counters.lowerBound
        precondition(!counters.isEmpty, "more packets are sealed than were reserved")
        counters = (counter + 1)..<counters.upperBound
        return session.seal(buffer, payload: count, limit: limit, counter: counter)
    }
}
