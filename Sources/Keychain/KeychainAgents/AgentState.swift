// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import POSIX
internal import Secrets

/// The keys that an agent holds and their expiry: a value without I/O, to whose methods the time is passed.
struct AgentState {
    typealias Instant = ContinuousClock.Instant

    /// The maximum number of keychains.
    static let maximumKeychainCount = 64

    fileprivate struct Entry {
        let afterFirstUnlock: LockedMemory
        var whenUnlocked: LockedMemory?
        let unlockEnd: Instant
        let absoluteEnd: Instant?
        let idleTimeout: Duration?
        var lastRequest: Instant

        /// The time at which all keys expire, if no request arrives.
        var end: Instant? {
            [absoluteEnd, idleTimeout.map { lastRequest + $0 }].compactMap(\.self).min()
        }
    }

    private var entries: [KeychainID: Entry] = [:]

    var isEmpty: Bool { entries.isEmpty }

    /// The time at which the next key expires.
    var nextEnd: Instant? {
        entries.values.flatMap { [$0.whenUnlocked == nil ? nil : $0.unlockEnd, $0.end] }.compactMap(\.self).min()
    }

    /// Removes expired keys.
    mutating func expire(at now: Instant) {
        entries = entries.filter { _, entry in entry.end.map { now < $0 } ?? true }
        for (id, entry) in entries where entry.unlockEnd <= now { entries[id]?.whenUnlocked = nil }
    }

    /// Returns the response to a request, after removing expired keys.
    mutating func answer(_ request: AgentRequest, at now: Instant) -> AgentResponse {
        expire(at: now)
        switch request {
        case .hold(let id, let keys, let lifetime):
            guard entries[id] != nil || entries.count < Self.maximumKeychainCount,
                let entry = Entry(keys, lifetime, now: now)
            else { return .full }
            entries[id] = entry
            return .done
        case .fetch(let id):
            entries[id]?.lastRequest = now
            return .keys(entries[id]?.keys)
        case .lock(let id):
            entries = if let id { entries.filter { $0.key != id } } else { [:] }
            return .done
        case .status:
            return .status(entries.map { id, entry in entry.report(id, at: now) })
        }
    }
}

extension AgentState.Entry {
    /// Returns `nil` if the system has no memory left.
    fileprivate init?(_ keys: AgentKeys, _ lifetime: AgentLifetime, now: AgentState.Instant) {
        guard let afterFirstUnlock = LockedMemory(keys.afterFirstUnlock) else { return nil }
        self.init(
            afterFirstUnlock: afterFirstUnlock, whenUnlocked: keys.whenUnlocked.flatMap { LockedMemory($0) },
            unlockEnd: now + lifetime.unlockPeriod, absoluteEnd: lifetime.absoluteTimeout.map { now + $0 },
            idleTimeout: lifetime.idleTimeout, lastRequest: now)
    }

    fileprivate var keys: AgentKeys {
        AgentKeys(afterFirstUnlock: afterFirstUnlock.secret, whenUnlocked: whenUnlocked?.secret)
    }

    fileprivate func report(_ id: KeychainID, at now: AgentState.Instant) -> HeldKeychain {
        HeldKeychain(
            id: id, unlockRemaining: whenUnlocked == nil ? nil : unlockEnd - now, remaining: end.map { $0 - now })
    }
}

/// A secret in a memory page that is excluded from swapping, if the system allows it, and from core dumps; it is erased
/// on release.
final class LockedMemory {
    private let page: UnsafeMutableRawBufferPointer
    private let count: Int

    /// Copies a secret of at most one page; returns `nil` if the system has no memory left.
    init?(_ secret: Secret) {
        let size = Int(getpagesize())
        count = secret.withUnsafeBytes(\.count)
        guard count <= size, let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0),
            start != MAP_FAILED
        else { return nil }
        page = UnsafeMutableRawBufferPointer(start: start, count: size)
        mlock(start, size)
        #if !canImport(Darwin)
            madvise(start, size, MADV_DONTDUMP)
        #endif
        secret.withUnsafeBytes { page.copyMemory(from: $0) }
    }

    deinit {
        page.initializeMemory(as: UInt8.self, repeating: 0)
        munmap(page.baseAddress, page.count)
    }

    /// A copy of the secret.
    var secret: Secret { Secret(utf8: Array(page.prefix(count))) }
}
