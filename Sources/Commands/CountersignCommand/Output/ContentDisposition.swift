// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings

/// The file name in a `Content-Disposition` field (RFC 6266).
enum ContentDisposition {
    /// Returns the name that the server suggests.
    ///
    /// - Parameter value: The field value.
    /// - Returns: `filename*` if it can be decoded, or else `filename`; `nil` if there is neither, or if the field is
    ///   malformed.
    static func fileName(_ value: String) -> String? {
        guard let parameters = parameters(of: Array(value.unicodeScalars)) else { return nil }
        return parameters["filename*"].flatMap(extendedValue) ?? parameters["filename"]
    }

    /// Parses `disposition-type *( ";" token "=" ( token / quoted-string ) )`; a repeated name is malformed (section
    /// 4.1).
    private static func parameters(of text: [UnicodeScalar]) -> [String: String]? {
        var rest = text[...]
        guard !takeToken(&rest).isEmpty else { return nil }
        var parameters: [String: String] = [:]
        while true {
            skipSpace(&rest)
            guard let mark = rest.popFirst() else { return parameters }
            guard mark == ";" else { return nil }
            skipSpace(&rest)
            if rest.isEmpty { return parameters }
            let name = takeToken(&rest).lowercased()
            skipSpace(&rest)
            guard !name.isEmpty, rest.popFirst() == "=" else { return nil }
            skipSpace(&rest)
            guard let value = rest.first == "\"" ? takeQuoted(&rest) : takeToken(&rest), parameters[name] == nil else {
                return nil
            }
            parameters[name] = value
        }
    }

    private static func skipSpace(_ rest: inout ArraySlice<UnicodeScalar>) {
        rest = rest.drop { $0 == " " || $0 == "\t" }
    }

    /// Reads a token leniently, up to a delimiter, because many servers send non-ASCII bytes or a slash in it.
    private static func takeToken(_ rest: inout ArraySlice<UnicodeScalar>) -> String {
        let token = rest.prefix { ![" ", "\t", ";", "=", "\"", ","].contains($0) }
        rest = rest[token.endIndex...]
        return text(token)
    }

    /// Reads a quoted string (RFC 9110 section 5.6.4), or returns `nil` if the closing quote is missing.
    private static func takeQuoted(_ rest: inout ArraySlice<UnicodeScalar>) -> String? {
        rest = rest.dropFirst()
        var value: [UnicodeScalar] = []
        while let scalar = rest.popFirst() {
            if scalar == "\"" { return text(value[...]) }
            guard scalar == "\\" else {
                value.append(scalar)
                continue
            }
            guard let escaped = rest.popFirst() else { return nil }
            value.append(escaped)
        }
        return nil
    }

    private static func text(_ scalars: ArraySlice<UnicodeScalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    /// Decodes `charset'language'value` (RFC 8187 section 3.2), percent-encoded in UTF-8,
    /// or in ISO-8859-1 by older servers.
    private static func extendedValue(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = PercentEncoding.decode(parts[2].utf8) else { return nil }
        return switch parts[0].lowercased() {
        case "utf-8": String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
        default: nil
        }
    }
}
