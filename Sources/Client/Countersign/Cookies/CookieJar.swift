// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
import HTTPTypes
import NIOConcurrencyHelpers

/// The cookies of one session or of several (RFC 6265, and 6265bis where that is stricter).
///
/// It keeps at most 50 cookies of a domain and 3,000 in all. A cookie that a server sets has at most 4,096 bytes, and expires after 400
/// days at the latest. The attribute `SameSite` is ignored: a session has no pages that could send a request across sites. Cookies for a
/// domain that is a public suffix are refused.
public final class CookieJar: Sendable {
    private struct State {
        var store = CookieStore()
        var suffixes: [HostName: Bool] = [:]
    }

    /// Each isPublicSuffix costs a search through the whole list.
    private static let rememberedSuffixes = 256

    private let state = NIOLockedValueBox(State())
    private let publicSuffixes: PublicSuffixList?
    private let now: @Sendable () -> Int

    /// Makes an empty jar with the operating system's list of public suffixes.
    ///
    /// Where the system has no list, the jar keeps cookies for single hosts only, and none for a whole domain: without the list it cannot
    /// tell `example.org` from `co.uk`.
    public convenience init() {
        self.init(publicSuffixes: SystemPublicSuffixes.wholeList, now: { .secondsSince1970 })
    }

    /// Makes an empty jar with a list of public suffixes that the caller gives.
    ///
    /// - Parameter publicSuffixes: The list, read with `PublicSuffixList.Sections.all`. With an empty list the jar accepts cookies for
    ///   every domain of more than one label, also for public suffixes such as `co.uk`.
    public convenience init(publicSuffixes: PublicSuffixList) {
        self.init(publicSuffixes: publicSuffixes, now: { .secondsSince1970 })
    }

    package init(publicSuffixes: PublicSuffixList?, now: @escaping @Sendable () -> Int) {
        (self.publicSuffixes, self.now) = (publicSuffixes, now)
    }

    /// All cookies that have not expired, in the order in which they were first set.
    public var cookies: [Cookie] {
        let now = now()
        return state.withLockedValue { $0.store.cookies(at: now) }
    }

    /// Returns the cookies that a request to a URL would send, in that order.
    ///
    /// - Parameter url: An absolute URL of `http` or `https`.
    /// - Returns: The cookies, those of longer paths first.
    /// - Throws: ``SessionError`` of ``RequestError/invalidURL(_:_:)``, ``RequestError/unsupportedScheme(_:)``.
    public func cookies(for url: String) throws(SessionError) -> [Cookie] {
        cookies(for: CookieOrigin(try HTTPURL(url)))
    }

    /// Takes a field `Set-Cookie` as if it came with a response (RFC 6265 section 5.3).
    ///
    /// - Parameters:
    ///   - field: The field's value.
    ///   - url: The URL of the response.
    /// - Returns: Whether the jar accepted the field, also if that only removed a cookie.
    /// - Throws: ``SessionError`` of ``RequestError/invalidURL(_:_:)``, ``RequestError/unsupportedScheme(_:)``.
    @discardableResult
    public func receive(_ field: String, from url: String) throws(SessionError) -> Bool {
        receive(field, from: CookieOrigin(try HTTPURL(url)))
    }

    /// Inserts a cookie, which replaces the one with the same name, domain and path.
    ///
    /// An expired cookie only removes that one.
    public func insert(_ cookie: Cookie) {
        let now = now()
        state.withLockedValue { $0.store.insert(cookie, at: now) }
    }

    /// Removes one cookie, whatever its value.
    public func remove(_ cookie: Cookie) {
        removeAll { $0.isSame(as: cookie) }
    }

    /// Removes every cookie that a closure selects, such as those of a host by their ``Cookie/domain``.
    ///
    /// - Parameter isUnwanted: Returns whether to remove a cookie. It must not use the jar.
    public func removeAll(where isUnwanted: (Cookie) -> Bool) {
        state.withLockedValue { $0.store.removeAll(where: isUnwanted) }
    }

    /// Removes every cookie.
    public func removeAll() {
        removeAll { _ in true }
    }

    func cookies(for request: CookieOrigin) -> [Cookie] {
        let now = now()
        return state.withLockedValue { $0.store.cookies(for: request, at: now) }
    }

    func receive(_ field: String, from origin: CookieOrigin) -> Bool {
        let now = now()
        guard let field = SetCookie(field, now: now),
            let cookie = Cookie(field, from: origin, isPublicSuffix: isPublicSuffix)
        else { return false }
        return state.withLockedValue { state in
            guard origin.isSecure || !state.store.holdsSecureCookie(inTheWayOf: cookie, at: now) else { return false }
            state.store.insert(cookie, at: now)
            return true
        }
    }

    /// Without a list every domain counts as a public suffix.
    private func isPublicSuffix(_ domain: HostName) -> Bool {
        guard let publicSuffixes else { return true }
        if let known = state.withLockedValue({ $0.suffixes[domain] }) { return known }
        let names = [domain.description, domain.inUnicode]
        let isPublicSuffix = names.contains { publicSuffixes.isPublicSuffix($0) }
        state.withLockedValue { state in
            if state.suffixes.count >= Self.rememberedSuffixes { state.suffixes = [:] }
            state.suffixes[domain] = isPublicSuffix
        }
        return isPublicSuffix
    }
}

/// What is read from a response, and what is written to a request.
extension CookieJar {
    /// So many fields of one response are read: three times as many as a domain can have cookies.
    private static let fieldLimit = 3 * CookieStore.domainLimit

    /// Takes what a response sets, whatever its status; but a proxy's challenge is not the origin's word.
    func receive(_ response: Response, from url: HTTPURL) {
        guard response.status != .proxyAuthenticationRequired, response.headerFields.contains(.setCookie) else {
            return
        }
        let origin = CookieOrigin(url)
        for field in response.headerFields[values: .setCookie].prefix(Self.fieldLimit) {
            _ = receive(field, from: origin)
        }
    }

    /// Adds what is kept for a URL to what the user wrote, whose names are left to the user.
    func attach(to fields: inout HTTPFields, for url: HTTPURL) {
        let cookies = cookies(for: CookieOrigin(url))
        guard !cookies.isEmpty else { return }
        let own = fields[.cookie]
        let taken = Set(own.map(Self.names) ?? [])
        let added = cookies.filter { !taken.contains($0.name) }.map(\.pair)
        fields[.cookie] = ((own.map { [$0] } ?? []) + added).joined(separator: "; ")
    }

    private static func names(in field: String) -> [String] {
        field.split(separator: ";").compactMap { pair in
            pair.split(separator: "=", omittingEmptySubsequences: false).first
                .map { String($0.drop { $0 == " " }) }
        }
    }
}

extension Cookie {
    /// As it is written in a field.
    fileprivate var pair: String {
        name + "=" + value.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}

extension HTTPFields {
    /// Joins all fields `Cookie` to one, as HTTP/1.1 needs it (RFC 6265 section 5.4): servers read only the first line.
    ///
    /// ``ConnectionStage`` does so for HTTP/1.1 alone. HTTP/2 may split them (RFC 9113 section 8.2.3), and `HTTPFields` does so
    /// whenever a cookie is assigned.
    mutating func joinCookies() {
        let lines = self[values: .cookie]
        guard lines.count > 1 else { return }
        let pairs = lines.flatMap { $0.split(separator: ";") }.map(\.trimmed).filter { !$0.isEmpty }
        self[values: .cookie] = [pairs.joined(separator: "; ")]
    }
}

extension CookieJar: CustomStringConvertible, CustomReflectable {
    /// The number of cookies in the jar, without their names and values.
    public var description: String { "CookieJar(\(cookies.count) cookies)" }

    /// Shows the cookies without their values.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: cookies.map(\.description)) }
}

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

    /// All cookies that have not expired, in the order in which they were first set.
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

/// What cookies look at of a request.
struct CookieOrigin {
    let host: HostName
    /// Path and query.
    let target: String
    let isSecure: Bool

    init(_ url: HTTPURL) {
        (host, target, isSecure) = (url.endpoint.host, url.target, url.scheme == .https)
    }
}

extension Cookie {
    /// Whether it is sent with a request (RFC 6265 section 5.4).
    func isSent(to request: CookieOrigin) -> Bool {
        guard request.isSecure || !isSecure else { return false }
        let fits =
            switch scope {
            case .host(let name): name == request.host
            case .domain(let name): request.host.isAtOrBelow(name)
            }
        return fits && CookiePath.matches(request.target, path)
    }

    /// A cookie as a response sets it (RFC 6265 section 5.3, with the prefixes of 6265bis); `nil` where it may not.
    ///
    /// - Parameters:
    ///   - field: What the response says.
    ///   - origin: Of the request.
    ///   - isPublicSuffix: Whether a domain is a public suffix, which no cookie may be set for.
    init?(_ field: SetCookie, from origin: CookieOrigin, isPublicSuffix: (HostName) -> Bool) {
        guard origin.isSecure || !field.isSecure,
            let scope = Self.scope(of: field, from: origin, isPublicSuffix: isPublicSuffix),
            field.prefix.isKept(by: scope, path: field.path, isSecure: field.isSecure)
        else { return nil }
        name = field.name
        value = field.value
        self.scope = scope
        path = field.path ?? CookiePath.folder(of: origin.target)
        expiry = field.expiry
        isSecure = field.isSecure
        isHTTPOnly = field.isHTTPOnly
    }

    /// A cookie for a domain below which strangers register is for its host alone where that is the domain, and otherwise refused.
    private static func scope(
        of field: SetCookie, from origin: CookieOrigin, isPublicSuffix: (HostName) -> Bool
    ) -> Scope? {
        guard let text = field.domain else { return .host(origin.host) }
        guard let domain = try? HostName(text), origin.host.isAtOrBelow(domain) else { return nil }
        guard !domain.isAddress, !isPublicSuffix(domain) else { return domain == origin.host ? .host(domain) : nil }
        return .domain(domain)
    }
}

/// The paths of cookies (RFC 6265 section 5.1.4).
enum CookiePath {
    /// What a cookie is for that names no path: the folder of the resource that set it.
    ///
    /// - Parameter target: Path and query of the request.
    /// - Returns: A path that begins with a slash, and ends with none unless it is no more than that.
    static func folder(of target: String) -> String {
        let path = path(of: target)
        guard path.first == "/", let last = path.lastIndex(of: "/"), last > path.startIndex else { return "/" }
        return String(path[..<last])
    }

    /// Whether a request for a target is at or below a cookie's path.
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
