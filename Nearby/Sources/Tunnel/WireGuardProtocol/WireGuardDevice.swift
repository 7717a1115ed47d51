// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Crypto

/// WireGuard's protocol for one private key and its peers, without sockets, clocks and threads (wireguard.com/papers/wireguard.pdf).
///
/// The caller passes in the datagrams that it receives, and the time. After each call it fetches the datagrams to send with
/// ``takeOutgoing()``.
/// A device cannot be copied, since a copy would use a session's nonces again.
package struct WireGuardDevice: ~Copyable, Sendable {
    /// What an index belongs to: a peer's session, or its handshake where there is none.
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
    var outgoing = LatestQueue<WireGuardDatagram>(limit: Limits.outgoingMessages)
    var events = LatestQueue<WireGuardEvent>(limit: Limits.outgoingMessages)

    /// A device without peers.
    ///
    /// - Parameters:
    ///   - privateKey: The static key.
    ///   - now: The time from which on the device is used.
    ///   - unixTime: The time since 1970 at `now`, from which the timestamps of initiations are counted.
    ///   - handshakesPerSecond: How many handshake messages are answered before senders have to show cookies.
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

    /// The key by which peers know this device.
    package var publicKey: WireGuardPublicKey { identity.publicKey }

    /// When ``timersFired(now:)`` must be called next, unless packets change that; `nil` if no timer runs.
    package var nextDeadline: Instant? { peers.deadline.map { started + $0 } }

    /// Whether there are datagrams to send, or events.
    package var hasNews: Bool { !outgoing.isEmpty || !events.isEmpty }

    /// Takes the datagrams that are to be sent, in this order.
    package mutating func takeOutgoing() -> [WireGuardDatagram] { outgoing.takeAll() }

    /// Takes the events of peers since the last call, in their order.
    package mutating func takeEvents() -> [WireGuardEvent] { events.takeAll() }

    /// Keeps a datagram for the caller, which loses the oldest ones where it does not take them.
    mutating func emit(_ bytes: [UInt8], to endpoint: WireGuardEndpoint) {
        outgoing.append(WireGuardDatagram(bytes: bytes, endpoint: endpoint))
    }

    /// Keeps an event for the caller.
    mutating func note(_ event: WireGuardEvent) { events.append(event) }

    /// An index that nothing else has.
    mutating func newIndex() -> UInt32 {
        while true {
            let index = UInt32(truncatingIfNeeded: random.next() as UInt64)
            if owners[index] == nil { return index }
        }
    }

    /// Changes a peer, and forgets the indices that it no longer has.
    mutating func withPeer<Result>(_ key: WireGuardPublicKey, _ body: (inout PeerState) -> Result) -> Result? {
        guard let position = peers.position(of: key), let before = peers.states[position]?.indices else { return nil }
        let result = peers.states[position]?.modify(body)
        let after = peers.states[position]?.indices ?? []
        for index in before where !after.contains(index) { owners[index] = nil }
        return result
    }

    /// The time since the start.
    func elapsed(at instant: Instant) -> Nanoseconds { instant.nanoseconds(since: started) }
}

extension Duration {
    /// The whole nanoseconds, of which an `Int64` holds those of 292 years.
    var nanoseconds: Nanoseconds { Nanoseconds(clamping: attoseconds / 1_000_000_000) }
}
