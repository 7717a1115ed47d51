// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A session, with the counters that change.
struct SessionState: Sendable {
    let session: WireGuardSession
    let created: Nanoseconds
    private(set) var nextCounter: UInt64
    private var window = ReplayWindow()

    init(_ session: WireGuardSession, created: Nanoseconds, nextCounter: UInt64 = 0) {
        (self.session, self.created, self.nextCounter) = (session, created, nextCounter)
    }

    /// When the session may no longer be used.
    var end: Nanoseconds { created + Limits.rejectAfterTime }

    /// Whether the session has sent for so long, or so much, that it asks for another one.
    func isWornOut(now: Nanoseconds) -> Bool {
        nextCounter > Limits.rekeyAfterMessages
            || session.isInitiator && now - created >= Limits.rekeyAfterTime
    }

    /// Whether the session ends before the other side would notice, where we only receive.
    func isNearItsEnd(now: Nanoseconds) -> Bool {
        session.isInitiator && now - created >= Limits.rekeyAfterReceiving
    }

    /// Takes counters for packets; fewer where the session has fewer left, and none where it has ended.
    mutating func takeCounters(_ count: Int, now: Nanoseconds) -> Range<UInt64> {
        let first = nextCounter
        guard now < end, count > 0, first < Limits.rejectAfterMessages else { return first..<first }
        nextCounter += min(UInt64(count), Limits.rejectAfterMessages - first)
        return first..<nextCounter
    }

    /// Notes the counter of an authentic packet.
    mutating func accept(_ counter: UInt64, now: Nanoseconds) -> WireGuardRefusal? {
        guard now < end else { return .expired }
        return window.accept(counter) ? nil : .replayed
    }
}
