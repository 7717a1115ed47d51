// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import EssentialFoundation

/// The storage of a cookie jar: which cookies replace each other, which are sent, and which are evicted (RFC 6265
/// sections 5.3 and 5.4).
///
/// The current time is a parameter, and the caller provides the locking.
struct CookieStore {
    /// A cookie with the serial numbers of its creation and its last use.
    private struct Entry {
        var cookie: StoredCookie
        let creation: UInt64
        var lastUse: UInt64
    }

    static let domainLimit = 50
    static let totalLimit = 3_000

    /// The entries by domain, so that a request examines its own domains only; no list is empty.
    private var entries: [HostName: [Entry]] = [:]
    private var count = 0
    private var serial: UInt64 = 0

    /// All cookies that have not expired, in the order in which they were first set.
    func cookies(at now: Int) -> [StoredCookie] {
        entries.values.joined().filter { !$0.cookie.isExpired(at: now) }.sorted { $0.creation < $1.creation }
            .map(\.cookie)
    }

    /// Returns the cookies for a request: longer paths first, then in the order in which they were first set (section
    /// 5.4).
    mutating func cookies(for request: CookieOrigin, at now: Int) -> [StoredCookie] {
        serial += 1
        var found: [Entry] = []
        var domain: HostName? = request.host
        while let name = domain {
            for index in (entries[name] ?? []).indices {
                guard let cookie = entries[name]?[index].cookie, !cookie.isExpired(at: now), cookie.isSent(to: request)
                else { continue }
                entries[name]?[index].lastUse = serial
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

    /// Inserts a cookie, which replaces the same existing cookie; an expired cookie only removes the existing one.
    mutating func insert(_ cookie: StoredCookie, at now: Int) {
        serial += 1
        let old = entries[cookie.domain]?.first { $0.cookie.isSame(as: cookie) }
        if old != nil { remove(in: cookie.domain) { $0.isSame(as: cookie) } }
        guard !cookie.isExpired(at: now) else { return }
        entries[cookie.domain, default: []].append(
            Entry(cookie: cookie, creation: old?.creation ?? serial, lastUse: serial))
        count += 1
        evict(in: cookie.domain, at: now)
    }

    /// Returns whether a cookie received over plain http would shadow a secure one (6265bis section 5.7).
    func holdsSecureCookie(shadowedBy cookie: StoredCookie, at now: Int) -> Bool {
        entries.contains { domain, entries in
            guard domain.isAtOrBelow(cookie.domain) || cookie.domain.isAtOrBelow(domain) else { return false }
            return entries.contains { entry in
                entry.cookie.isSecure && !entry.cookie.isExpired(at: now)
                    && entry.cookie.name.utf8.elementsEqual(cookie.name.utf8)
                    && CookiePath.matches(cookie.path, entry.cookie.path)
            }
        }
    }

    mutating func removeAll(where isUnwanted: (StoredCookie) -> Bool) {
        for domain in Array(entries.keys) { remove(in: domain, where: isUnwanted) }
    }

    private mutating func remove(in domain: HostName, where isUnwanted: (StoredCookie) -> Bool) {
        guard var remaining = entries[domain] else { return }
        let before = remaining.count
        remaining.removeAll { isUnwanted($0.cookie) }
        count -= before - remaining.count
        entries[domain] = remaining.isEmpty ? nil : remaining
    }

    /// Evicts expired cookies first, then the least recently used ones; within a domain, secure cookies last.
    private mutating func evict(in domain: HostName, at now: Int) {
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

/// The parts of a request that determine its cookies.
struct CookieOrigin {
    let host: HostName
    /// The path and the query.
    let target: String
    let isSecure: Bool

    init(_ url: HTTPURL) {
        (host, target, isSecure) = (url.endpoint.host, url.target, url.scheme == .https)
    }
}

extension StoredCookie {
    /// Returns whether the cookie is sent with a request (RFC 6265 section 5.4).
    func isSent(to request: CookieOrigin) -> Bool {
        guard request.isSecure || !isSecure else { return false }
        let fits =
            switch scope {
            case .host(let name): name == request.host
            case .domain(let name): request.host.isAtOrBelow(name)
            }
        return fits && CookiePath.matches(request.target, path)
    }

    /// Makes the cookie that a response sets (RFC 6265 section 5.3, with the prefixes of 6265bis); `nil` if the
    /// response may not set it.
    ///
    /// - Parameters:
    ///   - field: The parsed `Set-Cookie` field.
    ///   - origin: The URL parts of the request.
    ///   - isPublicSuffix: Returns whether a domain is a public suffix, for which no cookie may be set.
    init?(_ field: SetCookie, from origin: CookieOrigin, isPublicSuffix: (HostName) -> Bool) {
        guard origin.isSecure || !field.isSecure,
            let scope = Self.scope(of: field, from: origin, isPublicSuffix: isPublicSuffix),
            field.prefix.isSatisfied(by: scope, path: field.path, isSecure: field.isSecure)
        else { return nil }
        name = field.name
        value = field.value
        self.scope = scope
        path = field.path ?? CookiePath.folder(of: origin.target)
        expiry = field.expiry.map { Date(timeIntervalSince1970: Double($0)) }
        isSecure = field.isSecure
        isHTTPOnly = field.isHTTPOnly
    }

    /// Returns the scope of the cookie; `nil` if it is rejected.
    ///
    /// A cookie for a public suffix is accepted only from that very host, and only for that host.
    private static func scope(
        of field: SetCookie, from origin: CookieOrigin, isPublicSuffix: (HostName) -> Bool
    ) -> Scope? {
        guard let text = field.domain else { return .host(origin.host) }
        guard let domain = try? HostName(text), origin.host.isAtOrBelow(domain) else { return nil }
        guard !domain.isAddress, !isPublicSuffix(domain) else { return domain == origin.host ? .host(domain) : nil }
        return .domain(domain)
    }
}

/// The path matching of cookies (RFC 6265 section 5.1.4).
enum CookiePath {
    /// Returns the default path of a cookie without the attribute `Path`: the folder of the resource that set it.
    ///
    /// - Parameter target: The path and the query of the request.
    /// - Returns: A path that begins with a slash; only the path `/` ends with one.
    static func folder(of target: String) -> String {
        let path = path(of: target)
        guard path.first == "/", let last = path.lastIndex(of: "/"), last > path.startIndex else { return "/" }
        return String(path[..<last])
    }

    /// Returns whether a request target is at or below a cookie's path.
    static func matches(_ target: String, _ cookiePath: String) -> Bool {
        let (path, prefix) = (path(of: target).utf8, cookiePath.utf8)
        guard path.starts(with: prefix) else { return false }
        return path.count == prefix.count || prefix.last == UInt8(ascii: "/")
            || path.dropFirst(prefix.count).first == UInt8(ascii: "/")
    }

    private static func path(of target: String) -> Substring {
        target.prefix { $0 != "?" }
    }
}
