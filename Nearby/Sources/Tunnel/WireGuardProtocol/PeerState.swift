// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A peer, with its handshake, sessions and timers.
struct PeerState: Sendable {
    var partner: HandshakePartner
    var endpoint: WireGuardEndpoint?
    let persistentKeepalive: Nanoseconds?
    var authenticator: MessageAuthenticator
    var timers = PeerTimers()
    /// The payloads that wait for a session; if the queue is full, a new payload replaces the oldest one.
    var queue = BoundedQueue<[UInt8]>(limit: Limits.queuedPayloads)

    var handshake: InitiatedHandshake?
    var lastInitiationSent: Nanoseconds?
    /// The start of the period in which a handshake is attempted; `nil` if none is wanted.
    var handshakeWanted: Nanoseconds?
    var greatestTimestamp: TAI64N?
    var lastInitiationReceived: Nanoseconds?
    var latestHandshake: Nanoseconds?

    /// The session before the current one, whose packets may still arrive.
    var previous: SessionState?
    var current: SessionState?
    /// A session that this device answered, and that the initiator has not used yet.
    var next: SessionState?
    /// Whether data received near the end of the session has started a handshake.
    var hasRekeyedForReceiving = false

    init(_ peer: WireGuardPeer, partner: HandshakePartner) {
        self.partner = partner
        endpoint = peer.endpoint
        // As in `wg`, an interval of 0 disables keepalives.
        persistentKeepalive = peer.persistentKeepalive.flatMap { interval in
            let range = Limits.persistentKeepalives
            return interval > .zero ? min(max(interval.nanoseconds, range.lowerBound), range.upperBound) : nil
        }
        authenticator = MessageAuthenticator(publicKey: peer.publicKey)
    }

    /// The indices of all datagrams for this peer.
    var indices: [UInt32] {
        [handshake?.index, previous?.session.localIndex, current?.session.localIndex, next?.session.localIndex]
            .compactMap(\.self)
    }

    /// The time at which the handshake initiated by this device fails, if there is one.
    ///
    /// A session initiated by the peer stops the retransmissions, so the response may never arrive.
    private var handshakeEnd: Nanoseconds? {
        handshake == nil ? nil : lastInitiationSent.map { $0 + Limits.rekeyAttemptTime }
    }

    /// The time of the next due action.
    var deadline: Nanoseconds? {
        timers.next.earlier(handshakeEnd).earlier(previous?.end).earlier(current?.end).earlier(next?.end)
    }

    /// Performs several changes in a single access.
    mutating func modify<Result>(_ body: (inout Self) -> Result) -> Result { body(&self) }

    /// Makes the session of a handshake initiated by this device the current one.
    mutating func install(initiated session: SessionState) {
        // If both sides initiated a handshake, the peer may use the session that this device answered.
        previous = next ?? current
        (current, next, handshake) = (session, nil, nil)
        noteEstablished(now: session.created)
    }

    private mutating func noteEstablished(now: Nanoseconds) {
        timers.retransmission = nil
        (handshakeWanted, latestHandshake, hasRekeyedForReceiving) = (nil, now, false)
    }

    /// Removes expired sessions and an expired handshake, with its ephemeral key.
    ///
    /// - Returns: Whether the current session was removed.
    mutating func clearExpired(now: Nanoseconds) -> Bool {
        if let handshakeEnd, handshakeEnd <= now { handshake = nil }
        if let previous, previous.end <= now { self.previous = nil }
        if let next, next.end <= now { self.next = nil }
        guard let current, current.end <= now else { return false }
        self.current = nil
        return true
    }
}

// MARK: - Packets

extension PeerState {
    /// Reserves counters of the current session, for payloads or for a keepalive, which needs no reply.
    ///
    /// - Returns: `nil` if there is no usable session or no endpoint.
    mutating func reserve(_ count: Int, isData: Bool, now: Nanoseconds) -> WireGuardReservation? {
        guard let endpoint, let session = current?.session, let counters = current?.takeCounters(count, now: now),
            !counters.isEmpty
        else { return nil }
        timers.noteSent(isData: isData, persistentKeepalive: persistentKeepalive, now: now)
        return WireGuardReservation(session, counters: counters, endpoint: endpoint)
    }

    /// Returns whether a sent packet requires a new session.
    func needsRekeyAfterSending(now: Nanoseconds) -> Bool {
        current?.needsRenewal(now: now) == true && !isBeingRekeyed(now: now)
    }

    /// Returns whether a received packet requires a new session.
    private func needsRekeyAfterReceiving(now: Nanoseconds) -> Bool {
        !hasRekeyedForReceiving && current?.isNearExpiry(now: now) == true && !isBeingRekeyed(now: now)
    }

    /// Returns whether the peer has just initiated a handshake, so that one from this device would collide with it.
    private func isBeingRekeyed(now: Nanoseconds) -> Bool {
        next.map { now - $0.created < Limits.rekeyTimeout } ?? false
    }

    /// The effects of a received packet.
    struct Effects {
        /// The reason for the rejection of the packet, in which case nothing else has changed.
        var refusal: WireGuardRefusal?
        /// Whether the packet is the first one of a session that this device answered.
        var hasConfirmed = false
        /// The index of the session that a confirmed session replaced.
        var droppedIndex: UInt32?
        /// Whether the packet came from a new endpoint.
        var hasMoved = false
        var needsRekey = false
    }

    /// Accepts an authentic packet, unless it is a replay.
    mutating func accept(
        _ packet: WireGuardPacket, from endpoint: WireGuardEndpoint, now: Nanoseconds
    ) -> Effects {
        var effects = Effects()
        switch packet.index {
        case current?.session.localIndex: effects.refusal = current?.accept(packet.counter, now: now)
        case previous?.session.localIndex: effects.refusal = previous?.accept(packet.counter, now: now)
        case next?.session.localIndex:
            effects.refusal = next?.accept(packet.counter, now: now)
            effects.hasConfirmed = effects.refusal == nil
        default: effects.refusal = .unknownIndex
        }
        guard effects.refusal == nil else { return effects }
        if effects.hasConfirmed {
            effects.droppedIndex = previous?.session.localIndex
            (previous, current, next) = (current, next, nil)
            noteEstablished(now: now)
        }
        effects.hasMoved = noteAuthentic(from: endpoint, now: now)
        if !packet.payload.isEmpty { timers.noteDataReceived(now: now) }
        if needsRekeyAfterReceiving(now: now) {
            hasRekeyedForReceiving = true
            effects.needsRekey = true
        }
        return effects
    }

    /// Records the arrival of an authentic message.
    ///
    /// - Returns: Whether the message came from a new endpoint.
    mutating func noteAuthentic(from endpoint: WireGuardEndpoint, now: Nanoseconds) -> Bool {
        timers.noteReceived(persistentKeepalive: persistentKeepalive, now: now)
        guard self.endpoint != endpoint else { return false }
        self.endpoint = endpoint
        return true
    }
}
