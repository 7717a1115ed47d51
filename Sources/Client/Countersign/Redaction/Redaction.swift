// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTypes

/// Removes secrets from header fields, URLs and texts before they are printed, logged, traced or recorded.
///
/// The log, spans, errors, event descriptions, the command's output and its HAR files all use this type. If a name
/// looks like that of a secret (``SecretNames``), its value is always hidden.
package enum Redaction {
    static let mark = "<redacted>"
    /// The replacement for a secret in a URL, which cannot contain the brackets of ``mark``.
    static let markInURL = "redacted"

    /// Returns all fields, with the secrets in their values replaced.
    package static func fields(_ fields: HTTPFields) -> HTTPFields {
        var result = fields
        for index in fields.indices {
            let (field, shown) = (fields[index], value(of: fields[index]))
            if shown != field.value { result[index] = HTTPField(name: field.name, value: shown) }
        }
        return result
    }

    /// Returns whether a field contains a secret.
    package static func hides(_ field: HTTPField) -> Bool { value(of: field) != field.value }

    /// The names of the most frequent fields, to which no other rule applies; the lookup avoids the slower rules.
    static let frequentNames: Set<HTTPField.Name> = [
        .accept, .acceptEncoding, .acceptLanguage, .acceptRanges, .age, .cacheControl, .connection, .contentEncoding,
        .contentLength, .contentType, .date, .eTag, .expires, .ifModifiedSince, .ifNoneMatch, .lastModified,
        .range, .server, .strictTransportSecurity, .traceparent, .transferEncoding, .userAgent, .vary, .via,
    ]

    private static func value(of field: HTTPField) -> String {
        switch field.name {
        case let name where frequentNames.contains(name): text(field.value)
        case .authorization, .proxyAuthorization: credential(field.value)
        case .cookie: cookies(field.value)
        case .setCookie: newCookie(field.value)
        // A challenge is not a secret: it is useless without the answer.
        case .wwwAuthenticate, .proxyAuthenticate: field.value
        case .location, .contentLocation, .referer: url(field.value)
        case let name where SecretNames.contain(name.canonicalName): mark
        default: text(field.value)
        }
    }

    // MARK: Fields

    /// The schemes that are shown in a credential.
    ///
    /// Any other first token may be the secret itself.
    static let schemes = Set(MethodPreference.strongestFirst.map(\.description) + ["aws4-hmac-sha256"])

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

extension Redaction {
    /// Returns a URL without its user information, and without the values of parameters whose names look secret.
    package static func url(_ text: String) -> String { parameters(text.droppingUserInfo) }

    /// Returns a malformed URL without the parts that may be a user name and a password.
    package static func unreadableURL(_ text: String) -> String { parameters(text.hidingUserInfo) }

    /// Returns a text, such as an error message or a `Refresh` field, with each URL in it redacted.
    package static func text(_ text: String) -> String {
        guard text.containsBytes(of: "//") else { return parameters(text) }
        var result = ""
        var rest = text[...]
        while let slashes = rest.firstRange(of: "//") {
            result += rest[..<slashes.upperBound]
            rest = rest[slashes.upperBound...]
            let authority = rest.prefix { !"/?# ,;\"'<>".contains($0) && !$0.isNewline }
            if let at = authority.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
        }
        return parameters(result + rest)
    }

    /// Returns a URL with the names of its query parameters, but without their values.
    ///
    /// A span is sent to another service, and any value may be a secret.
    static func hidingQueryValues(_ text: String) -> String {
        let text = url(text)
        guard let mark = text.firstIndex(of: "?") else { return text }
        let pairs = text[text.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
        let hidden = pairs.map { pair in
            pair.firstIndex(of: "=").map { pair[...$0] + "REDACTED" } ?? (pair.isEmpty ? pair : "REDACTED")
        }
        return text[...mark] + hidden.joined(separator: "&")
    }

    /// Replaces the values of parameters whose names look secret: in the query, in the fragment, and after `;` in the
    /// path.
    static func parameters(_ text: String) -> String {
        guard text.hasParameterDelimiter else { return text }
        lazy var isSigned = SecretNames.haveSharedAccessSignature(in: text)
        var (result, rest) = ("", text[...])
        // The start of the text that is not yet in the result: most texts have nothing to replace.
        var start = text.startIndex
        while let delimiter = rest.utf8.firstIndex(where: { $0.isParameterDelimiter }) {
            let isInPath = rest.utf8[delimiter] == UInt8(ascii: ";")
            rest = rest[rest.utf8.index(after: delimiter)...]
            let name = rest[..<(rest.firstByte(in: nameEnds) ?? rest.endIndex)]
            rest = rest[name.endIndex...]
            guard rest.utf8.first == UInt8(ascii: "="), SecretNames.contain(name, withSignature: isSigned) else {
                continue
            }
            result += text[start..<name.endIndex] + "=" + markInURL
            // A question mark ends a parameter of the path. In a query it is part of the value.
            rest = rest[(rest.firstByte(in: isInPath ? pathValueEnds : queryValueEnds) ?? rest.endIndex)...]
            start = rest.startIndex
        }
        return start == text.startIndex ? text : result + text[start...]
    }

    private static let nameEnds = Array("=?&#; ,\"<>".utf8)
    private static let queryValueEnds = Array("&#; ,\"<>".utf8)
    private static let pathValueEnds = Array("?&#; ,\"<>".utf8)
}

extension String {
    fileprivate var hasParameterDelimiter: Bool {
        var text = self
        return text.withUTF8 { $0.contains { $0.isParameterDelimiter } }
    }
}

extension UInt8 {
    /// Whether the name of a parameter may follow the byte.
    fileprivate var isParameterDelimiter: Bool {
        switch self {
        case UInt8(ascii: "?"), UInt8(ascii: "&"), UInt8(ascii: "#"), UInt8(ascii: ";"): true
        default: false
        }
    }
}

extension Substring {
    /// Returns the index of the first of these ASCII bytes.
    ///
    /// A comparison of characters would take several times as long, and would not find a delimiter before a combining
    /// mark.
    fileprivate func firstByte(in set: [UInt8]) -> Index? { utf8.firstIndex(where: set.contains) }
}
