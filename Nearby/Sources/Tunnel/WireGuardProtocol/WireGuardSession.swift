// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto

/// The immutable keys of a session, so that one thread can seal while others open, without a lock.
///
/// The keys are erased with the last reference.
package final class WireGuardSession: Sendable {
    let peer: WireGuardPublicKey
    /// The index of packets from the peer.
    let localIndex: UInt32
    /// The index of packets to the peer.
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

    /// Decrypts a packet in place, without replay protection, for which ``WireGuardDevice/accept(_:from:now:)`` must be
    /// called.
    ///
    /// - Parameter datagram: A complete datagram for which ``WireGuardDevice/session(receiving:)`` returned this
    ///   session.
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
        precondition(count >= 0 && length <= buffer.count, "the buffer is too small for a packet's padding and tag")
        buffer.storeBytes(of: UInt32(MessageKind.transportData.rawValue).littleEndian, as: UInt32.self)
        buffer.storeBytes(of: remoteIndex.littleEndian, toByteOffset: TransportLayout.receiver, as: UInt32.self)
        buffer.storeBytes(of: counter.littleEndian, toByteOffset: TransportLayout.counter, as: UInt64.self)
        for index in count..<padded { buffer[TransportLayout.header + index] = 0 }
        let text = UnsafeMutableRawBufferPointer(rebasing: buffer[TransportLayout.header..<length])
        // BoringSSL fails only for texts above 256 GiB.
        precondition(sending.seal(text, count: padded, counter: counter))
        return length
    }
}

/// A decrypted packet, which may still be a replay.
package struct WireGuardPacket: Sendable {
    /// The range of the payload and its padding in the datagram; empty for a keepalive.
    package let payload: Range<Int>
    let peer: WireGuardPublicKey
    let index: UInt32
    let counter: UInt64
}

/// A range of a session's counters for exclusive use by one thread, so that no counter is used twice.
///
/// The type is public so that other modules can inline its members, as with `Instant`.
public struct WireGuardReservation: ~Copyable, Sendable {
    /// The number of bytes to reserve before the payload.
    @inlinable public static var headroom: Int { TransportLayout.header }
    /// The number of bytes in a datagram in addition to the padded payload.
    @inlinable public static var overhead: Int { TransportLayout.overhead }
    /// The number of bytes to reserve after the payload, for padding and tag.
    @inlinable public static var tailroom: Int { 15 + TransportLayout.tag }

    private let session: WireGuardSession
    private var counters: Range<UInt64>
    /// The destination of the packets.
    public let endpoint: WireGuardEndpoint

    init(_ session: WireGuardSession, counters: Range<UInt64>, endpoint: WireGuardEndpoint) {
        (self.session, self.counters, self.endpoint) = (session, counters, endpoint)
    }

    /// The number of packets that can still be sealed; the peer sees unused counters as lost packets.
    public var remaining: Int { counters.count }

    /// Encrypts a payload in place, and writes the header, padding and tag around it (paper, section 5.4.6).
    ///
    /// - Parameters:
    ///   - buffer: ``headroom`` bytes, the payload, and at least ``tailroom`` bytes.
    ///   - count: The size of the payload in bytes.
    ///   - limit: The maximum size of the padded payload in bytes; a longer payload is not padded.
    /// - Returns: The length of the datagram, which starts at the start of the buffer.
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
