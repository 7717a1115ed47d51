// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import HTTPTypes
import PolicyFile

/// The text of `--write-out`, read before anything is sent.
struct WriteOutFormat: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        case text(String)
        case variable(WriteOutVariable)
        /// The first value of a field of the response.
        case header(HTTPField.Name)
        case headerJSON
        case json
        case standardError
        case standardOutput
        /// What follows is printed only after a failure.
        case onError
    }

    private(set) var parts: [Part] = []

    /// Reads what stands after `--write-out`: the text, or `@FILE`, or `@-` for standard input.
    ///
    /// - Throws: ``UsageError/writeOut(_:nearest:)``, ``FileError``.
    init(argument: String) throws {
        guard argument.first == "@" else {
            try self.init(argument)
            return
        }
        let bytes = try InputFile.readArgument(String(argument.dropFirst()))
        try self.init(String(decoding: bytes, as: UTF8.self))
    }

    init(_ text: String) throws(UsageError) {
        var rest = text[...]
        while let character = rest.popFirst() {
            switch (character, rest.first) {
            case ("\\", let escape?):
                rest.removeFirst()
                append(Self.escapes[escape] ?? "\\\(escape)")
            case ("%", "%"):
                rest.removeFirst()
                append("%")
            case ("%", "{"):
                parts.append(try Self.variable(try Self.take(from: &rest, opening: "%{")))
            case ("%", "h") where rest.hasPrefix("header{"):
                rest = rest.dropFirst("header".count)
                parts.append(try Self.header(try Self.take(from: &rest, opening: "%header{")))
            default:
                append(String(character))
            }
        }
    }

    private static let escapes: [Character: String] = ["n": "\n", "r": "\r", "t": "\t"]

    private mutating func append(_ text: String) {
        if case .text(let before)? = parts.last {
            parts[parts.count - 1] = .text(before + text)
        } else {
            parts.append(.text(text))
        }
    }

    /// Takes `{name}` off the front.
    private static func take(from rest: inout Substring, opening: String) throws(UsageError) -> String {
        guard let end = rest.firstIndex(of: "}") else { throw .writeOut("\(opening) has no }", nearest: nil) }
        defer { rest = rest[rest.index(after: end)...] }
        return String(rest[..<end].dropFirst())
    }

    private static let directives: [String: Part] = [
        "json": .json, "header_json": .headerJSON, "stderr": .standardError, "stdout": .standardOutput,
        "onerror": .onError,
    ]

    private static func variable(_ name: String) throws(UsageError) -> Part {
        if let variable = WriteOutVariable(rawValue: name) { return .variable(variable) }
        if let directive = directives[name] { return directive }
        let names = WriteOutVariable.allCases.map(\.rawValue) + directives.keys.sorted()
        throw .writeOut("there is no variable %{\(name)}", nearest: Spelling.nearest(to: name, among: names))
    }

    private static func header(_ name: String) throws(UsageError) -> Part {
        guard let field = HTTPField.Name(name) else { throw .writeOut("\"\(name)\" is no field", nearest: nil) }
        return .header(field)
    }
}
