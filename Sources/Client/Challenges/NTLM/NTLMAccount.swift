// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Whose password is proved: a user and the domain that knows it.
struct NTLMAccount: Hashable {
    let user: String
    /// Empty for a user principal name, whose domain stands in it, and where the server is to choose.
    let domain: String

    /// - Parameter name: `DOMAIN\user`, `user@domain` or `user`.
    /// - Throws: ``NTLMError/emptyUser``.
    init(_ name: String) throws(NTLMError) {
        let parts = name.split(separator: "\\", maxSplits: 1, omittingEmptySubsequences: false)
        user = String(parts.last ?? "")
        domain = parts.count == 2 ? String(parts[0]) : ""
        guard !user.isEmpty else { throw .emptyUser }
    }
}

extension String {
    /// The text as Windows compares user names, one UTF-16 unit at a time (MS-NLMP section 6, `Uppercase`).
    ///
    /// The standard says no more than "uppercased"; Windows maps single units. So a letter whose upper case is longer stays as
    /// it is ("ß", not "SS"), and so does what lies beyond the basic plane. Nothing outside ASCII becomes a letter of ASCII
    /// ("ı" and "ſ" stay), so that no name turns into that of another user.
    var uppercasedForNTLM: String {
        var result = UnicodeScalarView()
        for scalar in unicodeScalars {
            let upper = scalar.properties.uppercaseMapping.unicodeScalars
            guard let first = upper.first, upper.count == 1, scalar.value <= 0xFFFF, first.value <= 0xFFFF,
                first.isASCII == scalar.isASCII
            else {
                result.append(scalar)
                continue
            }
            result.append(first)
        }
        return String(result)
    }
}
