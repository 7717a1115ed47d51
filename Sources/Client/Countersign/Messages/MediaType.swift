// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A media type with its parameters, as HTTP and MIME fields contain it (RFC 9110 section 8.3.1, RFC 2045 section 5.1).
package struct MediaType: Hashable, Sendable {
    /// The type and the subtype in lower case, such as `text/xml`.
    package let essence: String
    /// The parameter values by their names in lower case.
    ///
    /// If a name occurs twice, the first value counts.
    package private(set) var parameters: [String: String] = [:]

    /// Makes a media type from its parts.
    package init(_ essence: String, _ parameters: KeyValuePairs<String, String> = [:]) {
        self.essence = essence
        for (name, value) in parameters { self.parameters[name] = value }
    }

    /// Parses a field's value; `nil` if it has no type.
    package init?(field: String) {
        var rest = Substring(field)
        essence = rest.prefix { $0 != ";" }.trimmed.lowercased()
        guard essence.contains("/") else { return nil }
        rest = rest.drop { $0 != ";" }
        while rest.first == ";" {
            rest = rest.dropFirst()
            let name = rest.prefix { $0 != "=" && $0 != ";" }.trimmed.lowercased()
            rest = rest.drop { $0 != "=" && $0 != ";" }
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
            let value = rest.first == "\"" ? Self.quotedText(&rest) : String(rest.prefix { $0 != ";" }.trimmed)
            rest = rest.drop { $0 != ";" }
            if !name.isEmpty, parameters[name] == nil { parameters[name] = value }
        }
    }

    /// The value of a parameter.
    package subscript(parameter: String) -> String? { parameters[parameter] }

    /// The charset in lower case; `nil` if the field names none.
    package var charset: String? { self["charset"]?.lowercased() }

    static let json = MediaType("application/json")
    static let eventStream = MediaType("text/event-stream")

    /// Whether the type is JSON, by its name or its suffix (RFC 6839 section 3.1).
    var isJSON: Bool {
        ["application/json", "text/json"].contains(essence) || essence.hasSuffix("+json")
    }

    /// Parses a quoted string (RFC 9110 section 5.6.4), including the quotes.
    private static func quotedText(_ rest: inout Substring) -> String {
        var value = ""
        rest = rest.dropFirst()
        while let character = rest.popFirst(), character != "\"" {
            value.append(character == "\\" ? rest.popFirst() ?? character : character)
        }
        return value
    }
}

extension MediaType {
    /// Returns a field's value with parameters in this order, each value in quotes.
    package static func field(_ essence: String, _ parameters: [(String, String)]) -> String {
        parameters.reduce(into: essence) { field, parameter in
            let escaped = parameter.1.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            field += "; \(parameter.0)=\"\(escaped)\""
        }
    }
}
