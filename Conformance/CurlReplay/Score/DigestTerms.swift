// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The parameters of a Digest answer, as RFC 7616 section 3.4 names them.
struct DigestTerms: Hashable, Sendable {
    /// Names in lower case, values without quotes and escapes.
    private let parameters: [String: String]

    init(_ text: Substring) {
        var parameters: [String: String] = [:]
        for match in text.matches(of: /([\w*]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]*))/) {
            let quoted = match.2.map { String($0.replacing(/\\(.)/) { $0.1 }) }
            parameters[match.1.lowercased()] = quoted ?? match.3.map(String.init) ?? ""
        }
        self.parameters = parameters
    }

    subscript(name: String) -> String? { parameters[name] }

    /// All but what differs from client to client.
    var comparable: String {
        parameters.filter { !["cnonce", "response"].contains($0.key) }
            .map { "\($0.key)=\($0.key == "algorithm" ? $0.value.uppercased() : $0.value)" }
            .sorted().joined(separator: ", ")
    }
}
