// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

/// The cookies of a jar: which are the same, which are sent, and which have to go (RFC 6265 sections 5.3 and 5.4).
///
/// Time is a parameter; there is no lock here.
struct CookieStore {
    /// A cookie, when it was set first and when it was last set or sent: numbers that only grow.
    private struct Entry {
        var cookie: Cookie
        let creation: UInt64
        var lastUse: UInt64
    }

    static let domainLimit = 50
    static let totalLimit = 3_000

    /// By domain, so that a request looks at its own only; no list is empty.
    private var entries: [HostName: [Entry]] = [:]
    private var count = 0
    private var turn: UInt64 = 0

    /// All that are not over, in the order in which they were first set.
    func cookies(at now: Int) -> [Cookie] {
        entries.values.joined().filter { !$0.cookie.isExpired(at: now) }.sorted { $0.creation < $1.creation }
            .map(\.cookie)
    }

    /// What is sent with a request: of longer paths first, then in the order in which they were first set (section 5.4).
    mutating func cookies(for request: CookieOrigin, at now: Int) -> [Cookie] {
        turn += 1
        var found: [Entry] = []
        var domain: HostName? = request.host
        while let name = domain {
            for index in (entries[name] ?? []).indices {
                guard let cookie = entries[name]?[index].cookie, !cookie.isExpired(at: now), cookie.isSent(to: request)
                else { continue }
                entries[name]?[index].lastUse = turn
                if let entry = entries[name]?[index] { found.append(entry) }
            }
            domain = name.parent
        }
        found.sort { left, right in
            let (leftLength, rightLength) = (left.cookie.path.utf8.count, right.cookie.path.utf8.count)
            return leftLength == rightLength ? left.creation < right.creation : leftLength > rightLength
        }
        return found.map(\.cookie)
    }

    /// Keeps a cookie in the place of the same one that was there; one that is over only removes that.
    mutating func insert(_ cookie: Cookie, at now: Int) {
        turn += 1
        let old = entries[cookie.domain]?.first { $0.cookie.isSame(as: cookie) }
        if old != nil { remove(in: cookie.domain) { $0.isSame(as: cookie) } }
        guard !cookie.isExpired(at: now) else { return }
        entries[cookie.domain, default: []].append(
            Entry(cookie: cookie, creation: old?.creation ?? turn, lastUse: turn))
        count += 1
        makeRoom(in: cookie.domain, at: now)
    }

    /// Whether a cookie that came over plain http would stand in for one that only https may set (6265bis section 5.7).
    func holdsSecureCookie(inTheWayOf cookie: Cookie, at now: Int) -> Bool {
        entries.contains { domain, entries in
            guard domain.isAtOrBelow(cookie.domain) || cookie.domain.isAtOrBelow(domain) else { return false }
            return entries.contains { entry in
                entry.cookie.isSecure && !entry.cookie.isExpired(at: now)
                    && entry.cookie.name.utf8.elementsEqual(cookie.name.utf8)
                    && CookiePath.matches(cookie.path, entry.cookie.path)
            }
        }
    }

    mutating func removeAll(where isUnwanted: (Cookie) -> Bool) {
        for domain in Array(entries.keys) { remove(in: domain, where: isUnwanted) }
    }

    private mutating func remove(in domain: HostName, where isUnwanted: (Cookie) -> Bool) {
        guard var kept = entries[domain] else { return }
        let before = kept.count
        kept.removeAll { isUnwanted($0.cookie) }
        count -= before - kept.count
        entries[domain] = kept.isEmpty ? nil : kept
    }

    /// First goes what is over, then what is not secure, then what was not used for the longest time.
    private mutating func makeRoom(in domain: HostName, at now: Int) {
        if (entries[domain]?.count ?? 0) > Self.domainLimit { remove(in: domain) { $0.isExpired(at: now) } }
        while let own = entries[domain], own.count > Self.domainLimit {
            let plain = own.filter { !$0.cookie.isSecure }
            guard let oldest = (plain.isEmpty ? own : plain).min(by: { $0.lastUse < $1.lastUse }) else { return }
            remove(in: domain) { $0.isSame(as: oldest.cookie) }
        }
        if count > Self.totalLimit { removeAll { $0.isExpired(at: now) } }
        while count > Self.totalLimit, let oldest = entries.values.joined().min(by: { $0.lastUse < $1.lastUse }) {
            remove(in: oldest.cookie.domain) { $0.isSame(as: oldest.cookie) }
        }
    }
}
