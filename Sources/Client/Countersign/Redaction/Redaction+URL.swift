// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Redaction {
    /// Returns a URL without its user information, and without the values of parameters whose names look secret.
    package static func url(_ text: String) -> String { parameters(text.droppingUserInfo) }

    /// Returns a text that is not a URL, although it was meant to be one, without what may be a user and a password in it.
    package static func unreadableURL(_ text: String) -> String { parameters(text.hidingUserInfo) }

    /// Returns a text with each URL in it redacted, such as an error message or the field `Refresh`.
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

    /// Returns a URL with the names of its query alone.
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

    /// Replaces the values of parameters whose names look secret: in the query, in the fragment, and after `;` in the path.
    private static func parameters(_ text: String) -> String {
        let isSigned = SecretNames.areOfSharedAccessSignature(in: text)
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(where: { "?&#;".contains($0) }) {
            let isInPath = rest[start] == ";"
            let name = rest[rest.index(after: start)...].prefix { !"=?&#; ,\"<>".contains($0) }
            result += rest[..<name.endIndex]
            rest = rest[name.endIndex...]
            guard rest.first == "=", SecretNames.contain(name, besideSignature: isSigned) else { continue }
            result += "=" + markInURL
            // A question mark ends a parameter of the path. In a query it is part of the value.
            let ends = isInPath ? "?&#; ,\"<>" : "&#; ,\"<>"
            rest = rest.dropFirst().drop { !ends.contains($0) }
        }
        return result + rest
    }
}
