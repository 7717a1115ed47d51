// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import EssentialFoundation
public import Secrets

/// A cookie in a jar (RFC 6265 section 5.3).
///
/// Its description omits the value, which may authenticate the user as a password does.
public struct StoredCookie: Hashable, Sendable {
    /// The hosts to which a cookie is sent.
    public enum Scope: Hashable, Sendable {
        /// Only the host that set the cookie.
        case host(HostName)
        /// A domain, and every host below it.
        case domain(HostName)
    }

    /// The name, which is never empty.
    public let name: String
    /// The value that the server set.
    public let value: Secret
    /// The hosts to which the cookie is sent.
    public let scope: Scope
    /// The path at and below which the cookie is sent.
    public let path: String
    /// The expiry time; `nil` for a cookie that lasts as long as its jar.
    public let expiry: Date?
    /// Whether the cookie is sent over https only.
    public let isSecure: Bool
    /// Whether the server set `HttpOnly`.
    ///
    /// A session runs no scripts, so the attribute has no effect.
    public let isHTTPOnly: Bool

    /// Makes a cookie; `nil` if no server could set such a cookie.
    ///
    /// - Parameters:
    ///   - name: The name, which is not empty, and has no `=`, no `;`, no leading or trailing white space, and no
    ///     control characters. A cookie whose name begins with `__Secure-` must be secure; a cookie whose name begins
    ///     with `__Host-` must be secure, with the scope of one host and the path `/` (6265bis, "Cookie Name
    ///     Prefixes").
    ///   - value: The value in UTF-8, without `;`, leading or trailing white space, and control characters other than
    ///     tabs. Name and value together have at most 4,096 bytes.
    ///   - scope: The hosts to which the cookie is sent.
    ///   - path: The path at and below which the cookie is sent; it begins with a slash, and has no control characters.
    ///   - expiry: The expiry time; `nil` for a cookie that lasts as long as its jar.
    ///   - isSecure: Whether the cookie is sent over https only.
    ///   - isHTTPOnly: Whether the cookie has the attribute `HttpOnly`, which hides it from scripts.
    public init?(
        name: String, value: Secret, scope: Scope, path: String = "/", expiry: Date? = nil, isSecure: Bool = true,
        isHTTPOnly: Bool = true
    ) {
        let text = value.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        guard let read = SetCookie("\(name)=\(text)", now: 0), read.value == value,
            read.name.utf8.elementsEqual(name.utf8), path.utf8.first == UInt8(ascii: "/"),
            path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
            read.prefix.isSatisfied(by: scope, path: path, isSecure: isSecure)
        else { return nil }
        (self.name, self.value, self.scope, self.path) = (name, value, scope, path)
        (self.expiry, self.isSecure, self.isHTTPOnly) = (expiry, isSecure, isHTTPOnly)
    }

    /// The host or the domain of the cookie's scope.
    public var domain: HostName {
        switch scope {
        case .host(let name), .domain(let name): name
        }
    }
}

extension StoredCookie: CustomStringConvertible, CustomReflectable {
    /// The name, and the hosts and the path to which the cookie is sent, without the value.
    public var description: String {
        let start =
            switch scope {
            case .host(let name): "\(name)"
            case .domain(let name): "*.\(name)"
            }
        return "\(name) for \(start)\(path)"
    }

    /// A mirror that shows only the description, so that `dump` does not print the value.
    public var customMirror: Mirror { Mirror(self, children: ["cookie": description]) }
}

extension StoredCookie {
    /// Returns whether one of the two cookies replaces the other (6265bis section 5.7).
    ///
    /// Names are compared byte by byte.
    func isSame(as other: StoredCookie) -> Bool {
        scope == other.scope && name.utf8.elementsEqual(other.name.utf8) && path.utf8.elementsEqual(other.path.utf8)
    }

    /// Returns whether the cookie has expired at a time in seconds since 1970.
    func isExpired(at now: Int) -> Bool { expiry.map { $0.timeIntervalSince1970 <= Double(now) } ?? false }
}
