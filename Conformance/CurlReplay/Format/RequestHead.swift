// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The head of a received or expected request.
struct RequestHead: Hashable, Sendable {
    struct Field: Hashable, Sendable {
        let name: String
        let value: String

        func isNamed(_ other: String) -> Bool { name.lowercased() == other.lowercased() }
    }

    let method: String
    let target: String
    let fields: [Field]

    subscript(name: String) -> [String] {
        fields.filter { $0.isNamed(name) }.map(\.value)
    }

    /// Reads the lines before the empty line.
    ///
    /// - Returns: The head; `nil` if the first line is not a request line.
    init?(_ lines: some Sequence<ArraySlice<UInt8>>) {
        var lines = lines.lazy.map { String(decoding: $0.filter { $0 != 13 && $0 != 10 }, as: UTF8.self) }
            .makeIterator()
        guard let line = lines.next(), let (method, target) = Self.requestLine(line) else { return nil }
        (self.method, self.target) = (method, target)
        var fields: [Field] = []
        while let line = lines.next(), let colon = line.firstIndex(of: ":") {
            // Curl sends a given space before the colon; other clients cannot.
            let name = line[..<colon].filter { $0 != " " }
            fields.append(Field(name: name, value: line[line.index(after: colon)...].trimmed))
        }
        self.fields = fields
    }

    /// Parses a request line, in which the method may follow a body without a final line break.
    static func requestLine(_ line: String) -> (method: String, target: String)? {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 3, let version = words.last, version.hasPrefix("HTTP/") else { return nil }
        let (method, target) = (words[words.count - 3], words[words.count - 2])
        guard !target.isEmpty else { return nil }
        if words.count == 3, !method.isEmpty, method.allSatisfy({ $0.isASCII && $0.isLetter || "-_".contains($0) }) {
            let known = knownMethods.first { method.hasSuffix($0) && method.contains { $0.isLowercase } }
            return (known ?? String(method), String(target))
        }
        guard let known = knownMethods.first(where: { method.hasSuffix($0) }) else { return nil }
        return (known, String(target))
    }

    private static let knownMethods = ["GET", "HEAD", "POST", "PUT", "OPTIONS", "DELETE", "CONNECT"]
}
