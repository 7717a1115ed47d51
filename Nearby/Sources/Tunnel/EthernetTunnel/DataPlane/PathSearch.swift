// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import WireGuardProtocol

/// Finds the longest IP packet that reaches a peer, by probes that the peer acknowledges (RFC 8899).
///
/// The kernel's path MTU is the upper limit. If a router drops longer packets without an ICMP message, probes of that
/// length are lost, but probes of the base length are acknowledged. If neither is acknowledged, the path is down and
/// nothing changes.
struct PathSearch {
    /// A probe to send.
    struct Probe: Hashable {
        let identifier: UInt32
        /// The length of the probe's IP packet, in bytes.
        let length: Int
    }

    private enum Phase: Hashable {
        /// No probe is outstanding; the current length is probed again at the deadline.
        case waiting
        /// The current length, or the kernel's limit, is being probed.
        case trying(Int)
        /// The base length is being probed, because probes of another length were lost.
        case checking(lost: Int)
        /// The candidates between a length that arrives and one that does not, shortest first; the middle one is being
        /// probed.
        case searching([Int])
    }

    /// The packet length that nearly every path supports, in bytes (BASE_PLPMTU, section 5.1.2; the minimum MTU of
    /// IPv6).
    static let base = 1_280
    /// The number of lost probes after which a length counts as too long (MAX_PROBES).
    static let attempts = 3
    /// The timeout of a probe (PROBE_TIMER; the minimum in section 5.1.1).
    static let timeout = Duration.seconds(1)
    /// The interval for probing the current length while long packets are sent (CONFIRMATION_TIMER).
    static let confirmation = Duration.seconds(30)
    /// The interval for trying a longer length (PMTU_RAISE_TIMER).
    static let raising = Duration.seconds(600)
    /// The MTUs of common links: Ethernet, PPPoE, tunnels, jumbo frames.
    private static let candidates =
        (Array(stride(from: base + 20, through: 1_500, by: 20)) + [
            1_454, 1_472, 1_492, 2_002, 4_352, 6_000, 8_166, 9_000, 16_000, 32_000, 65_535,
        ]).sorted()

    /// The kernel's maximum packet length, in bytes.
    private let limit: Int
    /// The current maximum packet length, in bytes.
    private(set) var length: Int
    private var phase: Phase
    /// The time of the next probe.
    private(set) var deadline: Instant?
    private var nextRaise: Instant
    private var sent = 0
    private var nextIdentifier: UInt32
    /// Whether no probe has been acknowledged since the search started, in which case the kernel's limit is reported
    /// and the base length is used.
    private var isUnconfirmed: Bool
    /// The most recently reported length.
    private var reportedLength: Int

    /// Starts a search.
    ///
    /// - Parameters:
    ///   - limit: The kernel's path MTU, in bytes.
    ///   - now: The current time.
    ///   - isPossible: Whether the peer acknowledges probes; if not, the kernel's limit is used.
    ///   - identifier: The identifier before that of the first probe.
    init(limit: Int, now: Instant, isPossible: Bool, identifier: UInt32 = .random(in: .min ... .max)) {
        self.limit = limit
        let isNeeded = isPossible && limit > Self.base
        length = isNeeded ? Self.base : limit
        (phase, isUnconfirmed, reportedLength) = (isNeeded ? .trying(limit) : .waiting, isNeeded, limit)
        (deadline, nextRaise, nextIdentifier) = (isNeeded ? now : nil, now + Self.raising, identifier)
    }

    /// The length to report, in bytes: the kernel's limit until a probe is acknowledged.
    var expected: Int { isUnconfirmed ? limit : length }

    /// Advances the search if a probe is due or was lost.
    ///
    /// - Parameters:
    ///   - isUsed: Whether packets longer than the base length were sent since the last confirmation.
    ///   - now: The current time.
    /// - Returns: The probe to send.
    mutating func advance(isUsed: Bool, now: Instant) -> Probe? {
        guard let deadline, deadline <= now else { return nil }
        if phase == .waiting {
            startRound(isUsed: isUsed, now: now)
        } else if sent == Self.attempts {
            takeLoss(now: now)
        }
        guard let length = probed else { return nil }
        (sent, nextIdentifier) = (sent + 1, nextIdentifier &+ 1)
        self.deadline = now + Self.timeout
        return Probe(identifier: nextIdentifier, length: length)
    }

    /// Processes the acknowledgment of a probe; one for an earlier length is ignored.
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
            // Congestion can also lose three probes, so their length is tried again.
            search(Self.candidates.filter { $0 < lost } + [lost], now: now)
        case .searching(let lengths):
            length = probed
            search(lengths.filter { $0 > probed }, now: now)
        }
    }

    /// Returns the length if it must be reported; intermediate results of a search are not reported.
    mutating func takeChangedLength() -> Int? {
        if case .searching = phase, length > Self.base { return nil }
        guard expected != reportedLength else { return nil }
        reportedLength = expected
        return reportedLength
    }

    /// The length being probed.
    private var probed: Int? {
        switch phase {
        case .waiting: nil
        case .trying(let length): length
        case .checking: Self.base
        case .searching(let lengths): lengths[lengths.count / 2]
        }
    }

    /// Starts the next round.
    private mutating func startRound(isUsed: Bool, now: Instant) {
        if length < limit, nextRaise <= now {
            nextRaise = now + Self.raising
            enter(.trying(limit), now: now)
        } else if isUsed {
            enter(.trying(length), now: now)
        } else {
            wait(now: now)
        }
    }

    /// Handles the loss of all probes of a length.
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
