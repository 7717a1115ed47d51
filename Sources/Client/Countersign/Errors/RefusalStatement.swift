// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import ErrorExplanations

extension [HTTPChallenge] {
    /// The sentence about the reasons that a server states in its challenges for a refusal; `nil` if it states none.
    var refusalStatement: String? {
        var statements: [String] = []
        for statement in compactMap(\.refusalStatement) where !statements.contains(statement) {
            statements.append(statement)
        }
        return statements.isEmpty ? nil : "The server says: \(statements.prefix(3).joined(separator: "; "))."
    }
}

extension HTTPChallenge {
    /// The maximum number of characters of an error code.
    private static let codeLimit = 40

    /// The error code, its description and the missing scope of Bearer (RFC 6750 section 3) and of methods that have
    /// the same parameters, the rejection of Negotiate, or the note that a nonce of Digest is too old (RFC 7616 section 3.3).
    fileprivate var refusalStatement: String? {
        if isRejection { return "reject (the state of negotiate's message)" }
        if method == .digest, isStale { return "the nonce of digest is too old (stale)" }
        guard let error = self["error"] ?? self["error_description"].map({ _ in "error" }) else { return nil }
        let isCode =
            error.count <= Self.codeLimit
            && error.utf8.allSatisfy { $0 == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        let code = isCode ? error : Self.excerpt(of: error) ?? "error"
        let description = self["error_description"].flatMap(Self.excerpt).map { " (\"\($0)\")" } ?? ""
        let scope =
            error == "insufficient_scope"
            ? self["scope"].flatMap(Self.excerpt).map { ", needs the scope \"\($0)\"" } : nil
        return code + description + (scope ?? "")
    }

    /// Returns the beginning of the server's text without values that look secret, and with escapes.
    private static func excerpt(of text: String) -> String? {
        Redaction.excerpt(of: Array(text.utf8), "text/plain")?.printable
    }
}
