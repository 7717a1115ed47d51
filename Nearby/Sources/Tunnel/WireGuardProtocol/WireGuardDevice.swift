// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Crypto

/// A WireGuard implementation for one private key and its peers, without sockets, clocks and threads
/// (wireguard.com/papers/wireguard.pdf).
///
/// The caller passes the received datagrams and the time. After each call it fetches the datagrams to send with
/// ``takeOutgoing()``. A device cannot be copied, because a copy would reuse nonces of a session.
package struct WireGuardDevice: ~Copyable, Sendable {
    /// The owner of an index: a peer's session, or its handshake if there is no session.
    struct Owner {
        let position: Int
        let session: WireGuardSession?
    }

    var identity: WireGuardIdentity
    var cookies: CookieResponder
    var load: LoadLimiter
    var random: any RandomNumberGenerator & Sendable
    let started: Instant
    let startedUnixTime: Duration

    var peers = PeerTable()
    var owners: [UInt32: Owner] = [:]
    var outgoing = BoundedQueue<WireGuardDatagram>(limit: Limits.outgoingMessages)
    var events = BoundedQueue<WireGuardEvent>(limit: Limits.outgoingMessages)

    /// Creates a device without peers.
    ///
    /// - Parameters:
    ///   - privateKey: The static key.
    ///   - now: The current time, at which the device starts.
    ///   - unixTime: The time since 1970 at `now`, the base for the timestamps of initiations.
    ///   - handshakesPerSecond: The number of handshake messages a second that are answered without a cookie.
    ///   - random: The source of ephemeral keys, indices and nonces; it must be cryptographically secure.
    package init(
        privateKey: Curve25519.KeyAgreement.PrivateKey, now: Instant, unixTime: Duration,
        handshakesPerSecond: Int = 200,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        identity = WireGuardIdentity(privateKey)
        cookies = CookieResponder(publicKey: identity.publicKey)
        load = LoadLimiter(handshakesPerSecond: handshakesPerSecond, now: 0)
        (self.random, started, startedUnixTime) = (random, now, unixTime)
    }

    /// The public key that identifies this device to peers.
    package var publicKey: WireGuardPublicKey { identity.publicKey }

    /// The time of the next call to ``timersFired(now:)``, unless packets change it; `nil` if no timer is running.
    package var nextDeadline: Instant? { peers.deadline.map { started + $0 } }

    /// Whether there are pending datagrams or events.
    package var hasPendingOutput: Bool { !outgoing.isEmpty || !events.isEmpty }

    /// Returns and removes the datagrams to send, in this order.
    package mutating func takeOutgoing() -> [WireGuardDatagram] { outgoing.takeAll() }

    /// Returns and removes the peer events since the last call, in order.
    package mutating func takeEvents() -> [WireGuardEvent] { events.takeAll() }

    /// Queues a datagram for the caller; if the caller does not fetch datagrams, the oldest ones are discarded.
    mutating func emit(_ bytes: [UInt8], to endpoint: WireGuardEndpoint) {
        outgoing.append(WireGuardDatagram(bytes: bytes, endpoint: endpoint))
    }

    /// Queues an event for the caller.
    mutating func note(_ event: WireGuardEvent) { events.append(event) }

    /// Returns an unused index.
    mutating func newIndex() -> UInt32 {
        while true {
            let index = UInt32(truncatingIfNeeded: random.next() as UInt64)
            if owners[index] == nil { return index }
        }
    }

    /// Modifies a peer, and removes its unused indices.
    mutating func withPeer<Result>(_ key: WireGuardPublicKey, _ body: (inout PeerState) -> Result) -> Result? {
        guard let position = peers.position(of: key), let before = peers.states[position]?.indices else { return nil }
        let result = peers.states[position]?.modify(body)
        let after = peers.states[position]?.indices ?? []
        for index in before where !after.contains(index) { owners[index] = nil }
        return result
    }

    /// Returns the time since the start.
    func elapsed(at instant: Instant) -> Nanoseconds { instant.nanoseconds(since: started) }
}

extension Duration {
    /// The duration in whole nanoseconds; an `Int64` can represent 292 years.
    var nanoseconds: Nanoseconds { Nanoseconds(clamping: attoseconds / 1_000_000_000) }
}
