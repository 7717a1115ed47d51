// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What a `Content-Type` says (RFC 9110 section 8.3.1).
struct MediaType: Hashable {
    /// Type and subtype, in small letters: `application/json`.
    let essence: String
    /// In small letters; `nil` where nothing is said of it.
    let charset: String?

    static let json = MediaType("application/json")

    init(_ field: String) {
        let parts = field.split(separator: ";").map { $0.trimmed.lowercased() }
        essence = parts.first ?? ""
        charset = parts.dropFirst().first { $0.hasPrefix("charset=") }
            .map { $0.dropFirst("charset=".count).filter { $0 != "\"" } }
    }

    /// Whether it is JSON by its name or its suffix (RFC 6839 section 3.1).
    var isJSON: Bool {
        ["application/json", "text/json"].contains(essence) || essence.hasSuffix("+json")
    }
}
