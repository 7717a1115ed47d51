// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets

/// The attributes of a `Set-Cookie` field (RFC 6265 section 5.2), before its origin is checked.
struct SetCookie {
    /// The maximum size of name and value together, in bytes (RFC 6265 section 6.1; an upper limit in 6265bis).
    static let sizeLimit = 4_096
    /// The maximum size of an attribute value, in bytes.
    ///
    /// Longer attributes are ignored.
    private static let attributeLimit = 1_024
    /// The maximum lifetime of a cookie, in seconds: 400 days.
    static let lifetimeLimit = 400 * 86_400

    let name: String
    let value: Secret
    /// The domain as written, without a leading dot; `nil` if there is none.
    private(set) var domain: String?
    /// The path; `nil` if there is none that begins with a slash.
    private(set) var path: String?
    /// The expiry time in seconds since 1970; in the past for a cookie to remove.
    private(set) var expiry: Int?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false

    /// Parses a `Set-Cookie` field; `nil` if it sets no cookie.
    ///
    /// A field with a control character is ignored completely, as 6265bis requires, because the character could break
    /// out of the header line in which the cookie is sent back. A field with a tab in its name or its path is ignored
    /// too, because in a cookie file (``CookieJar/save(to:)``) it would become another cookie.
    ///
    /// - Parameters:
    ///   - text: The field's value.
    ///   - now: The current time, in seconds since 1970.
    init?(_ text: String, now: Int) {
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard let first = parts.first, let (name, value) = Self.pair(first), let value, !name.isEmpty,
            !name.utf8.contains(0x09), name.utf8.count + value.utf8.count <= Self.sizeLimit
        else { return nil }
        self.name = name
        self.value = Secret(value)
        var expires: Int?
        var maxAge: Int?
        for part in parts.dropFirst() {
            guard let (attribute, value) = Self.pair(part) else { continue }
            read(attribute.lowercased(), value ?? "", now: now, expires: &expires, maxAge: &maxAge)
        }
        guard path?.utf8.contains(0x09) != true else { return nil }
        expiry = (maxAge ?? expires).map { min($0, now + Self.lifetimeLimit) }
    }

    /// Reads one attribute.
    ///
    /// The last occurrence of an attribute counts, and unknown attributes are ignored.
    private mutating func read(
        _ attribute: String, _ value: String, now: Int, expires: inout Int?, maxAge: inout Int?
    ) {
        guard value.utf8.count <= Self.attributeLimit else { return }
        switch attribute {
        case "expires":
            if let date = CookieDate(value) { expires = date.secondsSince1970 }
        case "max-age":
            if let seconds = Self.seconds(value) { maxAge = seconds > 0 ? now + seconds : .min }
        case "domain":
            let name = value.utf8.first == UInt8(ascii: ".") ? String(Substring(value.utf8.dropFirst())) : value
            domain = name.isEmpty ? nil : name
        case "path": path = value.utf8.first == UInt8(ascii: "/") ? value : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        default: break
        }
    }

    /// Parses the seconds of `Max-Age`, which may be negative or too large for an `Int`; the result never exceeds the
    /// lifetime limit.
    private static func seconds(_ text: String) -> Int? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        if digits.startIndex != text.startIndex { return -1 }
        return min(Int(digits) ?? lifetimeLimit, lifetimeLimit)
    }

    /// Returns the texts before and after the first `=`, trimmed; the value is `nil` if there is no `=`.
    private static func pair(_ text: Substring.UTF8View) -> (name: String, value: String?)? {
        let halves = text.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = halves.first else { return nil }
        return (trimmed(name), halves.count > 1 ? trimmed(halves[1]) : nil)
    }

    private static func trimmed(_ text: Substring.UTF8View) -> String {
        var text = text.drop { $0 == 0x20 || $0 == 0x09 }
        while let last = text.last, last == 0x20 || last == 0x09 { text.removeLast() }
        return String(Substring(text))
    }
}

extension SetCookie {
    /// The name prefixes that promise how a cookie was set (6265bis, "Cookie Name Prefixes").
    ///
    /// Prefixes are compared without regard to case, as servers do.
    enum Prefix {
        case none
        case secure
        case host

        /// Returns whether a cookie satisfies its prefix.
        ///
        /// The path is `nil` if the cookie has no attribute `Path`; the default path `/` does not satisfy `__Host-`.
        func isSatisfied(by scope: StoredCookie.Scope, path: String?, isSecure: Bool) -> Bool {
            switch (self, scope) {
            case (.none, _): true
            case (.secure, _): isSecure
            case (.host, .host): isSecure && path == "/"
            case (.host, .domain): false
            }
        }
    }

    /// The prefix of the name, compared byte by byte: a combining mark after the hyphen would hide the prefix from a
    /// comparison of characters.
    var prefix: Prefix {
        let start = name.utf8.prefix(9).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        return start.elementsEqual("__secure-".utf8) ? .secure : start.starts(with: "__host-".utf8) ? .host : .none
    }
}
