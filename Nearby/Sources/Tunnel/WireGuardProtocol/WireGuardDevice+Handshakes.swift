// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto

extension WireGuardDevice {
    /// Starts a handshake with a peer, at the earliest 5 s after the last one; sending a payload does this
    /// automatically.
    ///
    /// The initiation is retransmitted for 90 s until the peer responds.
    package mutating func startHandshake(with key: WireGuardPublicKey, now: Instant) {
        wantHandshake(with: key, now: elapsed(at: now))
    }

    /// Starts a handshake, and restarts the 90 s period.
    mutating func wantHandshake(with key: WireGuardPublicKey, now: Nanoseconds) {
        peers[key]?.handshakeWanted = now
        initiate(with: key, now: now)
    }

    /// Sends an initiation, or postpones it if the last one was sent within 5 s.
    mutating func initiate(with key: WireGuardPublicKey, now: Nanoseconds) {
        guard let position = peers.position(of: key), let peer = peers.states[position], let endpoint = peer.endpoint
        else {
            return
        }
        if let last = peer.lastInitiationSent, now - last < Limits.rekeyTimeout {
            if peer.timers.retransmission == nil {
                peers.states[position]?.timers.retransmission = last + Limits.rekeyTimeout
            }
            return
        }
        let index = newIndex()
        let timestamp = TAI64N(unixTime: startedUnixTime + .nanoseconds(now))
        guard
            case let (handshake, message)?? = try? InitiatedHandshake.start(
                with: peer.partner, as: identity, index: index, timestamp: timestamp, using: &random)
        else { return }
        let jitter = Nanoseconds.random(in: 0...Limits.maximumJitter, using: &random)
        var bytes = message
        withPeer(key) { peer in
            peer.handshake = handshake
            peer.lastInitiationSent = now
            peer.authenticator.sign(&bytes, now: now)
            peer.timers.jitter = jitter
            peer.timers.noteInitiated(now: now)
            peer.timers.noteSent(isData: false, persistentKeepalive: peer.persistentKeepalive, now: now)
        }
        owners[index] = Owner(position: position, session: nil)
        emit(bytes, to: endpoint)
    }

    /// Verifies the MACs of a handshake message before any expensive computation (paper, section 5.3).
    mutating func refusal(
        of message: UnsafeRawBufferPointer, senderAt offset: Int, from endpoint: WireGuardEndpoint,
        now: Nanoseconds
    ) -> WireGuardRefusal? {
        guard cookies.hasValidMAC1(message) else { return .wrongMAC }
        guard load.isUnderLoad(now: now) else { return nil }
        guard cookies.hasValidMAC2(message, from: endpoint, now: now) else {
            if let reply = try? cookies.reply(
                to: message, senderAt: offset, from: endpoint, now: now, using: &random)
            {
                emit(reply, to: endpoint)
            }
            return .cookieRequired
        }
        return load.admits(endpoint, now: now) ? nil : .rateLimited
    }

    /// Responds to an initiation.
    mutating func receiveInitiation(
        _ message: UnsafeRawBufferPointer, from endpoint: WireGuardEndpoint, now: Nanoseconds
    ) -> WireGuardReceiveResult {
        if let refusal = refusal(of: message, senderAt: InitiationLayout.sender, from: endpoint, now: now) {
            return .refused(refusal)
        }
        guard
            let initiation = ReceivedInitiation(message, as: identity, partner: { peers[$0]?.partner }),
            let position = peers.position(of: initiation.partner.publicKey), let peer = peers.states[position]
        else { return .refused(.notAuthentic) }
        let key = initiation.partner.publicKey
        if let greatest = peer.greatestTimestamp, initiation.timestamp <= greatest { return .refused(.replayed) }
        if let last = peer.lastInitiationReceived, now - last < Limits.initiationInterval {
            return .refused(.rateLimited)
        }
        let index = newIndex()
        guard case let (session, message)?? = try? initiation.respond(index: index, using: &random) else {
            return .refused(.notAuthentic)
        }
        var bytes = message
        let hasMoved = withPeer(key) { peer in
            peer.greatestTimestamp = initiation.timestamp
            peer.lastInitiationReceived = now
            peer.next = SessionState(session, created: now)
            peer.authenticator.sign(&bytes, now: now)
            let hasMoved = peer.noteAuthentic(from: endpoint, now: now)
            peer.timers.noteSent(isData: false, persistentKeepalive: peer.persistentKeepalive, now: now)
            return hasMoved
        }
        owners[index] = Owner(position: position, session: session)
        emit(bytes, to: endpoint)
        if hasMoved == true { note(.moved(key, to: endpoint)) }
        return .handshake
    }

    /// Completes the handshake for which a response arrived.
    mutating func receiveResponse(
        _ message: UnsafeRawBufferPointer, from endpoint: WireGuardEndpoint, now: Nanoseconds
    ) -> WireGuardReceiveResult {
        if let refusal = refusal(of: message, senderAt: ResponseLayout.sender, from: endpoint, now: now) {
            return .refused(refusal)
        }
        let index = message.word(at: ResponseLayout.receiver)
        guard let position = owners[index]?.position, let peer = peers.states[position], let handshake = peer.handshake,
            handshake.index == index
        else { return .refused(.unknownIndex) }
        let key = peer.partner.publicKey
        guard let session = handshake.finish(message, of: peer.partner, as: identity) else {
            return .refused(.notAuthentic)
        }
        owners[index] = Owner(position: position, session: session)
        let hasMoved = withPeer(key) { peer in
            peer.install(initiated: SessionState(session, created: now))
            return peer.noteAuthentic(from: endpoint, now: now)
        }
        note(.established(key))
        if hasMoved == true { note(.moved(key, to: endpoint)) }
        // The peer sends nothing until it has received a packet, so an empty packet is sent if there is no other.
        if !sendQueued(to: key, now: now) { sendKeepalive(to: key, now: now) }
        return .handshake
    }

    /// Stores the cookie for the next message.
    mutating func receiveCookieReply(
        _ message: UnsafeRawBufferPointer, now: Nanoseconds
    ) -> WireGuardReceiveResult {
        guard let position = owners[message.word(at: CookieReplyLayout.receiver)]?.position else {
            return .refused(.unknownIndex)
        }
        let isAccepted = peers.states[position]?.authenticator.accept(message, now: now) ?? false
        return isAccepted ? .handshake : .refused(.notAuthentic)
    }
}
