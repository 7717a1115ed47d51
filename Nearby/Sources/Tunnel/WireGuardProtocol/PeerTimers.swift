// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The timers of a peer (paper, section 6).
struct PeerTimers: Sendable {
    /// The time to retransmit an initiation that was not answered.
    var retransmission: Nanoseconds?
    /// The time to send a keepalive after received data, if there is nothing else to send.
    var keepalive: Nanoseconds?
    /// The time to start a handshake if the peer sends nothing, not even keepalives.
    var silence: Nanoseconds?
    /// The time to send a persistent keepalive, which keeps a NAT mapping alive.
    var persistentKeepalive: Nanoseconds?
    /// Whether more data arrived while the keepalive was due.
    private var needsAnotherKeepalive = false
    /// The random delay added to a time, so that two peers do not collide repeatedly; each handshake has a new one.
    var jitter: Nanoseconds = 0

    /// The earliest timer.
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

    /// Stops the timer of the keepalive that was sent, and restarts it if more data arrived meanwhile.
    mutating func noteKeepaliveSent(now: Nanoseconds) {
        keepalive = needsAnotherKeepalive ? now + Limits.keepaliveTimeout : nil
        needsAnotherKeepalive = false
    }
}

extension Nanoseconds? {
    /// Returns the earlier of two optional times; unlike an array's minimum, it does not allocate memory for each
    /// packet.
    func earlier(_ other: Nanoseconds?) -> Nanoseconds? {
        guard let self, let other else { return self ?? other }
        return Swift.min(self, other)
    }
}
