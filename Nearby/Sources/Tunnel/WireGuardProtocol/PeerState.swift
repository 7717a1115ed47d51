// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A peer, with its handshake, sessions and timers.
struct PeerState: Sendable {
    var partner: HandshakePartner
    var endpoint: WireGuardEndpoint?
    let persistentKeepalive: Nanoseconds?
    var authenticator: MessageAuthenticator
    var timers = PeerTimers()
    /// Payloads that wait for a session; the oldest one gives way.
    var queue = LatestQueue<[UInt8]>(limit: Limits.queuedPayloads)

    var handshake: InitiatedHandshake?
    var lastInitiationSent: Nanoseconds?
    /// Since when an answer is wanted.
    var handshakeWanted: Nanoseconds?
    var greatestTimestamp: TAI64N?
    var lastInitiationReceived: Nanoseconds?
    var latestHandshake: Nanoseconds?

    /// The session before the current one, whose packets may still arrive.
    var previous: SessionState?
    var current: SessionState?
    /// A session that we answered, and that the initiator has not used yet.
    var next: SessionState?
    /// Whether data that arrives near the end of the session has begun a handshake.
    var hasRekeyedForReceiving = false

    init(_ peer: WireGuardPeer, partner: HandshakePartner) {
        self.partner = partner
        endpoint = peer.endpoint
        // As in `wg`, an interval of 0 turns the keepalives off.
        persistentKeepalive = peer.persistentKeepalive.flatMap { interval in
            let range = Limits.persistentKeepalives
            return interval > .zero ? min(max(interval.nanoseconds, range.lowerBound), range.upperBound) : nil
        }
        authenticator = MessageAuthenticator(publicKey: peer.publicKey)
    }

    /// Every index under which datagrams of the peer arrive.
    var indices: [UInt32] {
        [handshake?.index, previous?.session.localIndex, current?.session.localIndex, next?.session.localIndex]
            .compactMap(\.self)
    }

    /// When the handshake that we initiated is given up, if there is one.
    ///
    /// A session that the peer initiated ends the repetitions, and so the response may never come.
    private var handshakeEnd: Nanoseconds? {
        handshake == nil ? nil : lastInitiationSent.map { $0 + Limits.rekeyAttemptTime }
    }

    /// When something is due.
    var deadline: Nanoseconds? {
        timers.next.earlier(handshakeEnd).earlier(previous?.end).earlier(current?.end).earlier(next?.end)
    }

    /// Makes several changes at once.
    mutating func modify<Result>(_ body: (inout Self) -> Result) -> Result { body(&self) }

    /// Makes the session of a handshake that we initiated the current one.
    mutating func install(initiated session: SessionState) {
        // Where both sides have initiated, the peer may use the one that we answered.
        previous = next ?? current
        (current, next, handshake) = (session, nil, nil)
        noteEstablished(now: session.created)
    }

    private mutating func noteEstablished(now: Nanoseconds) {
        timers.retransmission = nil
        (handshakeWanted, latestHandshake, hasRekeyedForReceiving) = (nil, now, false)
    }

    /// Clears the sessions, and the handshake with its ephemeral key, that are too old to be used.
    ///
    /// - Returns: Whether the current session was among them.
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
    /// Takes counters of the current session, for payloads or for a keepalive, to which there is no answer.
    ///
    /// - Returns: `nil` where there is no usable session or no endpoint.
    mutating func reserve(_ count: Int, isData: Bool, now: Nanoseconds) -> WireGuardReservation? {
        guard let endpoint, let session = current?.session, let counters = current?.takeCounters(count, now: now),
            !counters.isEmpty
        else { return nil }
        timers.noteSent(isData: isData, persistentKeepalive: persistentKeepalive, now: now)
        return WireGuardReservation(session, counters: counters, endpoint: endpoint)
    }

    /// Whether a packet that was sent asks for a new session.
    func needsRekeyAfterSending(now: Nanoseconds) -> Bool {
        current?.isWornOut(now: now) == true && !isBeingRekeyed(now: now)
    }

    /// Whether a packet that was received asks for a new session.
    private func needsRekeyAfterReceiving(now: Nanoseconds) -> Bool {
        !hasRekeyedForReceiving && current?.isNearItsEnd(now: now) == true && !isBeingRekeyed(now: now)
    }

    /// Whether the peer has just initiated a handshake, so that ours would only cross it.
    private func isBeingRekeyed(now: Nanoseconds) -> Bool {
        next.map { now - $0.created < Limits.rekeyTimeout } ?? false
    }

    /// What a packet leads to.
    struct Effects {
        /// Why the packet is not accepted, in which case nothing else has changed.
        var refusal: WireGuardRefusal?
        /// Whether it is the first packet of a session that we answered.
        var hasConfirmed = false
        /// The index of the session that gave way to a confirmed one.
        var droppedIndex: UInt32?
        /// Whether it came from another endpoint than the one before.
        var hasMoved = false
        var needsRekey = false
    }

    /// Accepts an authentic packet, if it is new.
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

    /// Notes that something authentic arrived.
    ///
    /// - Returns: Whether it came from another endpoint than the one before.
    mutating func noteAuthentic(from endpoint: WireGuardEndpoint, now: Nanoseconds) -> Bool {
        timers.noteReceived(persistentKeepalive: persistentKeepalive, now: now)
        guard self.endpoint != endpoint else { return false }
        self.endpoint = endpoint
        return true
    }
}
