// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension WireGuardDevice {
    /// Runs the timers that are due: retransmits handshakes, sends keepalives, and clears the keys of expired sessions.
    package mutating func timersFired(now: Instant) {
        let now = elapsed(at: now)
        for key in peers.keys where peers[key]?.deadline.map({ $0 <= now }) == true {
            if withPeer(key, { $0.clearExpired(now: now) }) == true { note(.expired(key)) }
            guard let timers = peers[key]?.timers else { continue }
            if timers.retransmission.map({ $0 <= now }) == true { retransmit(to: key, now: now) }
            if timers.silence.map({ $0 <= now }) == true {
                peers[key]?.timers.silence = nil
                wantHandshake(with: key, now: now)
            }
            if timers.keepalive.map({ $0 <= now }) == true {
                sendKeepalive(to: key, now: now)
                peers[key]?.timers.noteKeepaliveSent(now: now)
            }
            if timers.persistentKeepalive.map({ $0 <= now }) == true {
                if let interval = peers[key]?.persistentKeepalive {
                    peers[key]?.timers.persistentKeepalive = now + interval
                }
                sendKeepalive(to: key, now: now)
            }
        }
    }

    /// Retransmits an initiation, or gives up.
    private mutating func retransmit(to key: WireGuardPublicKey, now: Nanoseconds) {
        peers[key]?.timers.retransmission = nil
        if let wanted = peers[key]?.handshakeWanted, now - wanted < Limits.rekeyAttemptTime {
            initiate(with: key, now: now)
            return
        }
        withPeer(key) { peer in
            peer.handshake = nil
            peer.handshakeWanted = nil
            _ = peer.queue.takeAll()
        }
        note(.unanswered(key))
    }
}
