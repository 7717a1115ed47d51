// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

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
    ///   - isPublicSuffix: Whether anybody can register below a domain.
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
