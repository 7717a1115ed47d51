// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// MARK: - Sending

extension WireGuardDevice {
    /// Reserves counters for packets to a peer, so that one thread can encrypt them without the device.
    ///
    /// - Parameters:
    ///   - count: The number of packets; fewer can be sealed if the session ends first.
    ///   - key: The public key of the peer.
    ///   - now: The current time.
    /// - Returns: The reservation; `nil` if there is no session, in which case the caller passes the payloads to
    ///   ``enqueue(_:to:now:)``.
    package mutating func reserve(
        _ count: Int, to key: WireGuardPublicKey, now: Instant
    ) -> WireGuardReservation? {
        reserve(count, to: key, isData: true, now: elapsed(at: now))
    }

    /// Reserves counters for payloads or for a keepalive.
    private mutating func reserve(
        _ count: Int, to key: WireGuardPublicKey, isData: Bool, now: Nanoseconds
    ) -> WireGuardReservation? {
        guard let position = peers.position(of: key) else { return nil }
        let reservation = peers.states[position]?.reserve(count, isData: isData, now: now)
        if reservation != nil, peers.states[position]?.needsRekeyAfterSending(now: now) == true {
            wantHandshake(with: key, now: now)
        }
        return reservation
    }

    /// Queues a copy of a payload until there is a session, and starts a handshake.
    ///
    /// The queue holds at most 128 payloads; a further one replaces the oldest.
    ///
    /// - Returns: `false` if the peer or its endpoint is unknown.
    @discardableResult package mutating func enqueue(
        _ payload: UnsafeRawBufferPointer, to key: WireGuardPublicKey, now: Instant
    ) -> Bool {
        guard peers[key]?.endpoint != nil else { return false }
        peers[key]?.queue.append(Array(payload))
        let now = elapsed(at: now)
        // A session may have started since the caller's last attempt.
        if !sendQueued(to: key, now: now) { wantHandshake(with: key, now: now) }
        return true
    }

    /// Encrypts one payload in place, or queues a copy of it until there is a session.
    ///
    /// - Parameters:
    ///   - buffer: ``WireGuardReservation/headroom`` bytes, the payload, and at least ``WireGuardReservation/tailroom``
    ///     bytes.
    ///   - count: The size of the payload in bytes.
    ///   - limit: The maximum size of the padded payload; a longer payload is not padded.
    ///   - key: The public key of the peer.
    ///   - now: The current time.
    /// - Returns: The datagram's length and destination, or the reason that there is none yet.
    package mutating func send(
        _ buffer: UnsafeMutableRawBufferPointer, payload count: Int, limit: Int = .max, to key: WireGuardPublicKey,
        now: Instant
    ) -> WireGuardSendResult {
        if var reservation = reserve(1, to: key, now: now) {
            return .datagram(length: reservation.seal(buffer, payload: count, limit: limit), to: reservation.endpoint)
        }
        let payload = UnsafeRawBufferPointer(buffer).slice(
            WireGuardReservation.headroom..<(WireGuardReservation.headroom + count))
        return enqueue(payload, to: key, now: now) ? .queued : .unreachable
    }

    /// Sends the payloads that were queued for a session.
    ///
    /// - Returns: Whether there were any.
    mutating func sendQueued(to key: WireGuardPublicKey, now: Nanoseconds) -> Bool {
        guard let count = peers[key]?.queue.count, count > 0,
            var reservation = reserve(count, to: key, isData: true, now: now)
        else { return false }
        for payload in (peers[key]?.queue.takeAll() ?? []).prefix(reservation.remaining) {
            emit(payload, with: &reservation)
        }
        return true
    }

    /// Sends an empty packet.
    mutating func sendKeepalive(to key: WireGuardPublicKey, now: Nanoseconds) {
        if var reservation = reserve(1, to: key, isData: false, now: now) {
            emit([], with: &reservation)
        } else {
            wantHandshake(with: key, now: now)
        }
    }

    /// Encrypts a payload, and queues the datagram for the caller.
    private mutating func emit(_ payload: [UInt8], with reservation: inout WireGuardReservation) {
        let (headroom, tailroom) = (WireGuardReservation.headroom, WireGuardReservation.tailroom)
        var bytes = [UInt8](repeating: 0, count: headroom) + payload + [UInt8](repeating: 0, count: tailroom)
        let length = bytes.withUnsafeMutableBytes { reservation.seal($0, payload: payload.count) }
        bytes.removeLast(bytes.count - length)
        emit(bytes, to: reservation.endpoint)
    }
}

// MARK: - Receiving

extension WireGuardDevice {
    /// Returns the session of a datagram, so that a thread can decrypt it without the device.
    ///
    /// - Returns: The session; `nil` for any other datagram, which the caller passes to ``receive(_:from:now:)``.
    package func session(receiving datagram: UnsafeRawBufferPointer) -> WireGuardSession? {
        guard MessageKind(datagram) == .transportData else { return nil }
        let index = datagram.word(at: TransportLayout.receiver)
        if let session = peers.onlySession, session.localIndex == index { return session }
        return owners[index]?.session
    }

    /// Accepts a packet that ``WireGuardSession/open(_:)`` has decrypted, unless it is a replay.
    ///
    /// - Parameters:
    ///   - packet: The decrypted packet; its payload must not be used before this call.
    ///   - endpoint: The sender of the datagram.
    ///   - now: The current time.
    /// - Returns: The range of the payload in the datagram, or the reason that there is none.
    package mutating func accept(
        _ packet: WireGuardPacket, from endpoint: WireGuardEndpoint, now: Instant
    ) -> WireGuardReceiveResult {
        let now = elapsed(at: now)
        guard let position = peers.position(of: packet.peer),
            let effects = peers.states[position]?.accept(packet, from: endpoint, now: now)
        else { return .refused(.unknownIndex) }
        if let refusal = effects.refusal { return .refused(refusal) }
        let key = packet.peer
        if effects.hasMoved { note(.moved(key, to: endpoint)) }
        if effects.hasConfirmed {
            if let index = effects.droppedIndex { owners[index] = nil }
            note(.established(key))
            _ = sendQueued(to: key, now: now)
        }
        if effects.needsRekey { wantHandshake(with: key, now: now) }
        return packet.payload.isEmpty ? .keepalive(from: key) : .payload(packet.payload, from: key)
    }

    /// Receives a datagram of any kind; a payload is decrypted in place.
    ///
    /// - Parameters:
    ///   - datagram: A complete datagram.
    ///   - endpoint: The sender of the datagram.
    ///   - now: The current time.
    /// - Returns: The range of the payload in the datagram, or the result for a datagram of another kind.
    package mutating func receive(
        _ datagram: UnsafeMutableRawBufferPointer, from endpoint: WireGuardEndpoint, now: Instant
    ) -> WireGuardReceiveResult {
        let bytes = UnsafeRawBufferPointer(datagram)
        switch MessageKind(bytes) {
        case .initiation: return receiveInitiation(bytes, from: endpoint, now: elapsed(at: now))
        case .response: return receiveResponse(bytes, from: endpoint, now: elapsed(at: now))
        case .cookieReply: return receiveCookieReply(bytes, now: elapsed(at: now))
        case .transportData:
            guard let session = session(receiving: bytes) else { return .refused(.unknownIndex) }
            guard let packet = session.open(datagram) else { return .refused(.notAuthentic) }
            return accept(packet, from: endpoint, now: now)
        case nil: return .refused(.malformed)
        }
    }
}
