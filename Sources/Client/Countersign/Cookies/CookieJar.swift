// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
import CertificateTrustNIOSSL
import Challenges
import HTTPTypes
import NIOConcurrencyHelpers

/// The cookies of one or several sessions (RFC 6265, and 6265bis where it is stricter).
///
/// A jar holds at most 50 cookies for each domain and 3,000 in total. A cookie that a server sets has at most 4,096
/// bytes, and expires after at most 400 days. The attribute `SameSite` is ignored, because a session has no pages that
/// could send cross-site requests. Cookies for a domain that is a public suffix are rejected.
public final class CookieJar: Sendable {
    private struct State {
        var store = CookieStore()
        var suffixes: [HostName: Bool] = [:]
    }

    /// The maximum number of cached lookups; results are cached because each lookup searches the entire list.
    private static let suffixCacheLimit = 256

    private let state = NIOLockedValueBox(State())
    private let publicSuffixes: PublicSuffixList?
    private let now: @Sendable () -> Int

    /// Makes an empty jar with the operating system's public suffix list.
    ///
    /// If the system has no list, the jar accepts cookies for single hosts only, and none for a domain: without the
    /// list it cannot distinguish `example.org` from `co.uk`.
    public convenience init() {
        self.init(publicSuffixes: SystemPublicSuffixes.fullList, now: { .secondsSince1970 })
    }

    /// Makes an empty jar with a public suffix list that the caller provides.
    ///
    /// - Parameter publicSuffixes: The list, read with `PublicSuffixList.Sections.all`. With an empty list, the jar
    ///   accepts cookies for every domain of more than one label, including public suffixes such as `co.uk`.
    public convenience init(publicSuffixes: PublicSuffixList) {
        self.init(publicSuffixes: publicSuffixes, now: { .secondsSince1970 })
    }

    package init(publicSuffixes: PublicSuffixList?, now: @escaping @Sendable () -> Int) {
        (self.publicSuffixes, self.now) = (publicSuffixes, now)
    }

    /// All cookies that have not expired, in the order in which they were first set.
    public var cookies: [StoredCookie] {
        let now = now()
        return state.withLockedValue { $0.store.cookies(at: now) }
    }

    /// Returns the cookies that a request to a URL would send, in that order.
    ///
    /// - Parameter url: An absolute `http` or `https` URL.
    /// - Returns: The cookies, ordered by descending path length.
    /// - Throws: ``SessionError`` of ``RequestError/invalidURL(_:_:)``, ``RequestError/unsupportedScheme(_:)``.
    public func cookies(for url: String) throws(SessionError) -> [StoredCookie] {
        cookies(for: CookieOrigin(try HTTPURL(url)))
    }

    /// Processes a `Set-Cookie` field as if it had been received in a response (RFC 6265 section 5.3).
    ///
    /// - Parameters:
    ///   - field: The field's value.
    ///   - url: The URL of the response.
    /// - Returns: Whether the jar accepted the field, even if the field only removed a cookie.
    /// - Throws: ``SessionError`` of ``RequestError/invalidURL(_:_:)``, ``RequestError/unsupportedScheme(_:)``.
    @discardableResult
    public func receive(_ field: String, from url: String) throws(SessionError) -> Bool {
        receive(field, from: CookieOrigin(try HTTPURL(url)))
    }

    /// Inserts a cookie, which replaces the cookie with the same name, domain and path.
    ///
    /// An expired cookie only removes the existing one.
    public func insert(_ cookie: StoredCookie) {
        let now = now()
        state.withLockedValue { $0.store.insert(cookie, at: now) }
    }

    /// Removes a cookie; its value is not compared.
    public func remove(_ cookie: StoredCookie) {
        removeAll { $0.isSame(as: cookie) }
    }

    /// Removes every cookie that satisfies a condition, such as the cookies of a host by their ``StoredCookie/domain``.
    ///
    /// - Parameter isUnwanted: Returns whether to remove a cookie. It must not use the jar.
    public func removeAll(where isUnwanted: (StoredCookie) -> Bool) {
        state.withLockedValue { $0.store.removeAll(where: isUnwanted) }
    }

    /// Removes every cookie.
    public func removeAll() {
        removeAll { _ in true }
    }

    func cookies(for request: CookieOrigin) -> [StoredCookie] {
        let now = now()
        return state.withLockedValue { $0.store.cookies(for: request, at: now) }
    }

    func receive(_ field: String, from origin: CookieOrigin) -> Bool {
        let now = now()
        guard let field = SetCookie(field, now: now),
            let cookie = StoredCookie(field, from: origin, isPublicSuffix: isPublicSuffix)
        else { return false }
        return state.withLockedValue { state in
            guard origin.isSecure || !state.store.holdsSecureCookie(shadowedBy: cookie, at: now) else { return false }
            state.store.insert(cookie, at: now)
            return true
        }
    }

    /// Returns whether a domain is a public suffix; without a list, every domain counts as one.
    private func isPublicSuffix(_ domain: HostName) -> Bool {
        guard let publicSuffixes else { return true }
        if let known = state.withLockedValue({ $0.suffixes[domain] }) { return known }
        let names = [domain.description, domain.inUnicode]
        let isPublicSuffix = names.contains { publicSuffixes.isPublicSuffix($0) }
        state.withLockedValue { state in
            if state.suffixes.count >= Self.suffixCacheLimit { state.suffixes = [:] }
            state.suffixes[domain] = isPublicSuffix
        }
        return isPublicSuffix
    }
}

/// The use of a jar by a session: processing responses and adding cookies to requests.
extension CookieJar {
    /// The maximum number of `Set-Cookie` fields that are read from one response: three times as many as a domain can
    /// have cookies.
    private static let fieldLimit = 3 * CookieStore.domainLimit

    /// Stores the cookies of a response with any status, except those of a proxy's challenge, because they were not
    /// sent by the origin.
    func receive(_ response: SessionResponse, from url: HTTPURL) {
        guard response.status != .proxyAuthenticationRequired, response.headerFields.contains(.setCookie) else {
            return
        }
        let origin = CookieOrigin(url)
        for field in response.headerFields[values: .setCookie].prefix(Self.fieldLimit) {
            _ = receive(field, from: origin)
        }
    }

    /// Adds the cookies for a URL to the request's own `Cookie` field, except for names that the request sets itself.
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

extension StoredCookie {
    /// The cookie in the form `name=value`, as a `Cookie` field contains it.
    fileprivate var pair: String {
        name + "=" + value.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}

extension HTTPFields {
    /// Joins all `Cookie` fields into one, as HTTP/1.1 requires (RFC 6265 section 5.4); servers read only the first
    /// field line.
    ///
    /// ``Transaction`` calls this for HTTP/1.1 only. HTTP/2 may split the field (RFC 9113 section 8.2.3), and
    /// `HTTPFields` splits it whenever a cookie is assigned.
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

    /// A mirror that shows the cookies without their values.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: cookies.map(\.description)) }
}
