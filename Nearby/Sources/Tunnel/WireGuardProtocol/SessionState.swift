// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A session with its mutable counters.
struct SessionState: Sendable {
    let session: WireGuardSession
    let created: Nanoseconds
    private(set) var nextCounter: UInt64
    private var window = ReplayWindow()

    init(_ session: WireGuardSession, created: Nanoseconds, nextCounter: UInt64 = 0) {
        (self.session, self.created, self.nextCounter) = (session, created, nextCounter)
    }

    /// The time after which the session must not be used.
    var end: Nanoseconds { created + Limits.rejectAfterTime }

    /// Returns whether the session has reached the age or packet count at which sending requires a new one.
    func needsRenewal(now: Nanoseconds) -> Bool {
        nextCounter > Limits.rekeyAfterMessages
            || session.isInitiator && now - created >= Limits.rekeyAfterTime
    }

    /// Returns whether a receiving device must renew the session before it expires.
    func isNearExpiry(now: Nanoseconds) -> Bool {
        session.isInitiator && now - created >= Limits.rekeyAfterReceiving
    }

    /// Reserves counters for packets: fewer if the session has fewer left, and none if it has expired.
    mutating func takeCounters(_ count: Int, now: Nanoseconds) -> Range<UInt64> {
        let first = nextCounter
        guard now < end, count > 0, first < Limits.rejectAfterMessages else { return first..<first }
        nextCounter += min(UInt64(count), Limits.rejectAfterMessages - first)
        return first..<nextCounter
    }

    /// Records the counter of an authentic packet.
    mutating func accept(_ counter: UInt64, now: Nanoseconds) -> WireGuardRefusal? {
        guard now < end else { return .expired }
        return window.accept(counter) ? nil : .replayed
    }
}
