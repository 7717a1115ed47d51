// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import HTTPTypes

/// What others may see of header fields and URLs: nothing that would let them in.
///
/// A name that sounds like a secret is taken for one: too much is hidden rather than too little.
package enum Redaction {
    static let mark = "<redacted>"
    /// The same within a URL, where the brackets cannot stand.
    private static let markInURL = "redacted"

    /// Every field, with the values of those that hold a secret replaced.
    static func fields(_ fields: HTTPFields) -> HTTPFields {
        HTTPFields(fields.map { HTTPField(name: $0.name, value: value(of: $0)) })
    }

    /// Whether a field holds what is replaced.
    package static func hides(_ field: HTTPField) -> Bool { value(of: field) != field.value }

    /// A URL without its user, and without the values of parameters that are named like secrets.
    package static func url(_ text: String) -> String { parameters(text.droppingUserInfo) }

    private static func value(of field: HTTPField) -> String {
        switch field.name {
        case .authorization, .proxyAuthorization: credential(field.value)
        case .cookie: cookies(field.value)
        case .setCookie: newCookie(field.value)
        // What is asked is no secret; without the answer it is good for nothing.
        case .wwwAuthenticate, .proxyAuthenticate: field.value
        case .location, .contentLocation, .referer: url(field.value)
        case let name where soundsSecret(name.canonicalName): mark
        default: parameters(field.value)
        }
    }

    // MARK: Fields

    /// The schemes by which a value is known to begin with a scheme, and not with the secret itself.
    private static let schemes: Set<String> = [
        "basic", "digest", "bearer", "ntlm", "negotiate", "scram-sha-256", "aws4-hmac-sha256",
    ]

    private static func credential(_ value: String) -> String {
        let scheme = value.prefix { $0 != " " }
        return scheme.count < value.count && schemes.contains(scheme.lowercased()) ? "\(scheme) \(mark)" : mark
    }

    private static func cookies(_ value: String) -> String {
        value.split(separator: ";").map(cookie).joined(separator: "; ")
    }

    private static func cookie(_ pair: Substring) -> String {
        guard let equals = pair.firstIndex(of: "=") else { return mark }
        return "\(pair[..<equals].trimmed)=\(mark)"
    }

    private static let cookieAttributes: Set<String> = [
        "expires", "max-age", "domain", "path", "secure", "httponly", "samesite", "partitioned", "priority",
    ]

    private static func newCookie(_ value: String) -> String {
        let parts = value.split(separator: ";", omittingEmptySubsequences: false)
        let attributes = parts.dropFirst().map { part in
            cookieAttributes.contains(part.prefix { $0 != "=" }.trimmed.lowercased()) ? String(part.trimmed) : mark
        }
        return ([parts.first.map(cookie) ?? mark] + attributes).joined(separator: "; ")
    }

    // MARK: Names

    private static let secretNames: Set<String> = [
        "code", "key", "sig", "pw", "pwd", "pass", "sid", "jwt", "otp", "pin", "hmac", "state", "nonce",
    ]
    private static let secretParts = [
        "token", "secret", "password", "passwd", "passphrase", "apikey", "accesskey", "signature", "credential",
        "session", "auth", "cookie", "assertion", "saml", "jsessionid",
    ]

    private static func soundsSecret(_ name: some StringProtocol) -> Bool {
        let plain = name.lowercased().filter { $0 != "-" && $0 != "_" && $0 != "." }
        // What is written in another way than it needs to be may be written so to hide.
        return secretNames.contains(plain) || plain.contains("%") || secretParts.contains { plain.contains($0) }
    }

    // MARK: Parameters

    /// The text with the values of all parameters of URLs in it replaced that are named like secrets.
    private static func parameters(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(where: { "?&#;".contains($0) }) {
            let isInPath = rest[start] == ";"
            let name = rest[rest.index(after: start)...].prefix { !"=?&#; ,\"<>".contains($0) }
            result += rest[..<name.endIndex]
            rest = rest[name.endIndex...]
            guard rest.first == "=", soundsSecret(name) else { continue }
            result += "=" + markInURL
            // Within a path the query follows; within a query a question mark is one of the value's characters.
            let ends = isInPath ? "?&#; ,\"<>" : "&#; ,\"<>"
            rest = rest.dropFirst().drop { !ends.contains($0) }
        }
        return result + rest
    }
}
