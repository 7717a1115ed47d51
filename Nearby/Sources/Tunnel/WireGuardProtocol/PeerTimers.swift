// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What is due for a peer, and when (paper, section 6).
struct PeerTimers: Sendable {
    /// Repeats an initiation that was not answered.
    var retransmission: Nanoseconds?
    /// Tells the peer that its data arrived, where we have nothing to send.
    var keepalive: Nanoseconds?
    /// Begins a handshake where the peer does not even send keepalives.
    var silence: Nanoseconds?
    /// Keeps a NAT's mapping.
    var persistentKeepalive: Nanoseconds?
    /// Whether more data arrived while the keepalive was due.
    private var needsAnotherKeepalive = false
    /// What is added to a time, so that two peers do not keep colliding; a new one for each handshake.
    var jitter: Nanoseconds = 0

    /// The first of the times.
    var next: Nanoseconds? {
        retransmission.earlier(keepalive).earlier(silence).earlier(persistentKeepalive)
    }

    mutating func noteSent(isData: Bool, persistentKeepalive interval: Nanoseconds?, now: Nanoseconds) {
        keepalive = nil
        if isData, silence == nil { silence = now + Limits.keepaliveTimeout + Limits.rekeyTimeout + jitter }
        if let interval { persistentKeepalive = now + interval }
    }

    mutating func noteReceived(persistentKeepalive interval: Nanoseconds?, now: Nanoseconds) {
        silence = nil
        if let interval { persistentKeepalive = now + interval }
    }

    mutating func noteDataReceived(now: Nanoseconds) {
        if keepalive == nil {
            keepalive = now + Limits.keepaliveTimeout
        } else {
            needsAnotherKeepalive = true
        }
    }

    mutating func noteInitiated(now: Nanoseconds) {
        retransmission = now + Limits.rekeyTimeout + jitter
    }

    /// Ends the wait for the keepalive that was sent, and waits for another one where more data arrived meanwhile.
    mutating func noteKeepaliveSent(now: Nanoseconds) {
        keepalive = needsAnotherKeepalive ? now + Limits.keepaliveTimeout : nil
        needsAnotherKeepalive = false
    }
}

extension Nanoseconds? {
    /// The earlier of two times, of which each may be missing; unlike an array's minimum, it allocates nothing for each packet.
    func earlier(_ other: Nanoseconds?) -> Nanoseconds? {
        guard let self, let other else { return self ?? other }
        return Swift.min(self, other)
    }
}
