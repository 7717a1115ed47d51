// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTypes

/// Removes secrets from header fields, URLs and texts before they are printed, logged, traced or recorded.
///
/// The log, spans, errors, descriptions of events, the command's output and its HAR files all use this type. A name that looks like that
/// of a secret (``SecretNames``) hides its value, whatever the value is.
package enum Redaction {
    static let mark = "<redacted>"
    /// Stands in a URL, which cannot hold the brackets of ``mark``.
    static let markInURL = "redacted"

    /// Returns every field, with the secrets in the values replaced.
    package static func fields(_ fields: HTTPFields) -> HTTPFields {
        HTTPFields(fields.map { HTTPField(name: $0.name, value: value(of: $0)) })
    }

    /// Whether a field holds a secret.
    package static func hides(_ field: HTTPField) -> Bool { value(of: field) != field.value }

    private static func value(of field: HTTPField) -> String {
        switch field.name {
        case .authorization, .proxyAuthorization: credential(field.value)
        case .cookie: cookies(field.value)
        case .setCookie: newCookie(field.value)
        // A challenge opens nothing without its answer.
        case .wwwAuthenticate, .proxyAuthenticate: field.value
        case .location, .contentLocation, .referer: url(field.value)
        case let name where SecretNames.contain(name.canonicalName): mark
        default: text(field.value)
        }
    }

    // MARK: Fields

    /// The first word of a credential is shown where it is one of these schemes; any other may be the secret itself.
    private static let schemes = Set(MethodPreference.strongestFirst.map(\.description) + ["aws4-hmac-sha256"])

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
}
