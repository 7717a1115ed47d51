// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Secrets

/// A cookie that a jar keeps (RFC 6265 section 5.3).
///
/// It prints without its value, which often is as good as a password.
public struct Cookie: Hashable, Sendable {
    /// Which hosts a cookie is sent to.
    public enum Scope: Hashable, Sendable {
        /// The host that set it, and no other.
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
    /// When it expires, in seconds since 1970; `nil` for a cookie that lasts as long as its jar.
    public let expiry: Int?
    /// Whether it is sent over https only.
    public let isSecure: Bool
    /// Whether the server set `HttpOnly`.
    ///
    /// A session runs no scripts, so the attribute changes nothing.
    public let isHTTPOnly: Bool

    /// A cookie of the user's own making; `nil` where no server could have set it.
    ///
    /// - Parameters:
    ///   - name: Without `=`, `;`, space around and control characters; not empty. What begins with `__Secure-` has to be secure; what
    ///     begins with `__Host-` has to be secure, for one host, and for the path `/` (6265bis, "Cookie Name Prefixes").
    ///   - value: Without `;`, space around and control characters. With the name at most 4,096 bytes.
    ///   - scope: Which hosts it is sent to.
    ///   - path: The path at and below which it is sent; begins with a slash, and has no control characters.
    ///   - expiry: In seconds since 1970; `nil` for one that lasts as long as its jar.
    ///   - isSecure: Whether it is sent over https only.
    ///   - isHTTPOnly: Whether scripts would not see it.
    public init?(
        name: String, value: Secret, scope: Scope, path: String = "/", expiry: Int? = nil, isSecure: Bool = true,
        isHTTPOnly: Bool = true
    ) {
        let text = value.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        guard let read = SetCookie("\(name)=\(text)", now: 0), read.value == value,
            read.name.utf8.elementsEqual(name.utf8), path.utf8.first == UInt8(ascii: "/"),
            path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
            read.prefix.isKept(by: scope, path: path, isSecure: isSecure)
        else { return nil }
        (self.name, self.value, self.scope, self.path) = (name, value, scope, path)
        (self.expiry, self.isSecure, self.isHTTPOnly) = (expiry, isSecure, isHTTPOnly)
    }

    /// The host or the domain that it belongs to.
    public var domain: HostName {
        switch scope {
        case .host(let name), .domain(let name): name
        }
    }
}

extension Cookie: CustomStringConvertible, CustomReflectable {
    /// The name, and where it is sent.
    public var description: String {
        let start =
            switch scope {
            case .host(let name): "\(name)"
            case .domain(let name): "*.\(name)"
            }
        return "\(name) for \(start)\(path)"
    }

    /// Shows no more than the description, so that `dump` prints no value either.
    public var customMirror: Mirror { Mirror(self, children: ["cookie": description]) }
}

extension Cookie {
    /// Whether the later of both replaces the other (6265bis section 5.7); names are compared by their bytes.
    func isSame(as other: Cookie) -> Bool {
        scope == other.scope && name.utf8.elementsEqual(other.name.utf8) && path.utf8.elementsEqual(other.path.utf8)
    }

    func isExpired(at now: Int) -> Bool { expiry.map { $0 <= now } ?? false }
}
