// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import WireGuardProtocol

/// Finds the longest IP packet that reaches a peer, by probes that the peer answers (RFC 8899).
///
/// The kernel's path MTU is the upper limit. Where a router drops longer packets and no ICMP message says so, probes of that length are
/// lost and probes of the base length are answered. Where neither is answered, the path is down and nothing changes.
struct PathSearch {
    /// A probe to send.
    struct Probe: Hashable {
        let identifier: UInt32
        /// The length of its IP packet, in bytes.
        let length: Int
    }

    private enum Phase: Hashable {
        /// No probe is on its way; the length in use is probed again at the deadline.
        case waiting
        /// The length in use, or the kernel's limit, is probed.
        case trying(Int)
        /// The base is probed, because probes of a length were lost.
        case checking(lost: Int)
        /// Lengths between one that arrives and one that does not, shortest first; the middle one is probed.
        case searching([Int])
    }

    /// The length that nearly every path takes, in bytes (BASE_PLPMTU, section 5.1.2; the least of IPv6).
    static let base = 1_280
    /// How many probes of a length are lost before it counts as too long (MAX_PROBES).
    static let attempts = 3
    /// How long an answer is awaited (PROBE_TIMER; section 5.1.1 allows no less).
    static let patience = Duration.seconds(1)
    /// How often the length in use is probed while long packets are sent (CONFIRMATION_TIMER).
    static let confirmation = Duration.seconds(30)
    /// How often a longer one is tried (PMTU_RAISE_TIMER).
    static let raising = Duration.seconds(600)
    /// Lengths of usual links: Ethernet, PPPoE, tunnels, jumbo frames.
    private static let candidates =
        (Array(stride(from: base + 20, through: 1_500, by: 20)) + [
            1_454, 1_472, 1_492, 2_002, 4_352, 6_000, 8_166, 9_000, 16_000, 32_000, 65_535,
        ]).sorted()

    /// The longest packet that the kernel sends, in bytes.
    private let limit: Int
    /// The longest packet to send, in bytes.
    private(set) var length: Int
    private var phase: Phase
    /// When the next probe is due.
    private(set) var deadline: Instant?
    private var nextRaise: Instant
    private var sent = 0
    private var nextIdentifier: UInt32
    /// Whether no probe was answered since the search began, so that the kernel's limit is told and the base is used.
    private var isUnconfirmed: Bool
    /// What the caller was told last.
    private var told: Int

    /// Begins a search.
    ///
    /// - Parameters:
    ///   - limit: The kernel's path MTU, in bytes.
    ///   - now: The time.
    ///   - isPossible: Whether the peer answers probes; the kernel's limit is used where it does not.
    ///   - identifier: That of the first probe.
    init(limit: Int, now: Instant, isPossible: Bool, identifier: UInt32 = .random(in: .min ... .max)) {
        self.limit = limit
        let isNeeded = isPossible && limit > Self.base
        length = isNeeded ? Self.base : limit
        (phase, isUnconfirmed, told) = (isNeeded ? .trying(limit) : .waiting, isNeeded, limit)
        (deadline, nextRaise, nextIdentifier) = (isNeeded ? now : nil, now + Self.raising, identifier)
    }

    /// What the path takes, as far as is known, in bytes.
    var expected: Int { isUnconfirmed ? limit : length }

    /// Moves on where a probe is due or was lost.
    ///
    /// - Parameters:
    ///   - isUsed: Whether packets longer than the base were sent since the last confirmation.
    ///   - now: The time.
    /// - Returns: The probe to send.
    mutating func advance(isUsed: Bool, now: Instant) -> Probe? {
        guard let deadline, deadline <= now else { return nil }
        if phase == .waiting {
            begin(isUsed: isUsed, now: now)
        } else if sent == Self.attempts {
            takeLoss(now: now)
        }
        guard let length = probed else { return nil }
        (sent, nextIdentifier) = (sent + 1, nextIdentifier &+ 1)
        self.deadline = now + Self.patience
        return Probe(identifier: nextIdentifier, length: length)
    }

    /// Takes an answer; one to an earlier length is ignored.
    mutating func takeAnswer(to identifier: UInt32, now: Instant) {
        guard let probed, nextIdentifier &- identifier < sent else { return }
        isUnconfirmed = false
        switch phase {
        case .waiting: return
        case .trying:
            length = probed
            wait(now: now)
        case .checking(let lost):
            length = Self.base
            // Three probes may be lost to congestion, so that their length is tried again.
            search(Self.candidates.filter { $0 < lost } + [lost], now: now)
        case .searching(let lengths):
            length = probed
            search(lengths.filter { $0 > probed }, now: now)
        }
    }

    /// What the path takes, where that is to be told: not each step of a search.
    mutating func takeNews() -> Int? {
        if case .searching = phase, length > Self.base { return nil }
        guard expected != told else { return nil }
        told = expected
        return told
    }

    /// The length that is probed now.
    private var probed: Int? {
        switch phase {
        case .waiting: nil
        case .trying(let length): length
        case .checking: Self.base
        case .searching(let lengths): lengths[lengths.count / 2]
        }
    }

    /// Begins another round.
    private mutating func begin(isUsed: Bool, now: Instant) {
        if length < limit, nextRaise <= now {
            nextRaise = now + Self.raising
            enter(.trying(limit), now: now)
        } else if isUsed {
            enter(.trying(length), now: now)
        } else {
            wait(now: now)
        }
    }

    /// Every probe of a length was lost.
    private mutating func takeLoss(now: Instant) {
        switch phase {
        case .waiting: return
        case .trying(let lost) where lost > length && !isUnconfirmed:
            search(Self.candidates.filter { $0 > length && $0 < lost }, now: now)
        case .trying(let lost): enter(.checking(lost: lost), now: now)
        case .checking:
            if isUnconfirmed { (length, isUnconfirmed) = (limit, false) }
            wait(now: now)
        case .searching(let lengths): search(Array(lengths.prefix(lengths.count / 2)), now: now)
        }
    }

    private mutating func search(_ lengths: [Int], now: Instant) {
        lengths.isEmpty ? wait(now: now) : enter(.searching(lengths), now: now)
    }

    private mutating func enter(_ phase: Phase, now: Instant) {
        (self.phase, sent, deadline) = (phase, 0, now)
    }

    private mutating func wait(now: Instant) {
        (phase, sent, deadline) = (.waiting, 0, now + Self.confirmation)
    }
}
