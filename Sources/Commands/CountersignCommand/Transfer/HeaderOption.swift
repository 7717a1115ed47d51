// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSession
import CommandSupport
import Countersign
import HTTPTypes

/// What stands after `-H`: a field, or the file of several.
enum HeaderOption: Sendable {
    case field(HTTPField)
    case file(String)

    init(_ text: String) throws(WrongValue) {
        self = text.first == "@" ? .file(String(text.dropFirst())) : .field(try Self.field(text))
    }

    /// - Throws: ``WrongValue``, ``FileError``, ``NamedFileError``.
    func fields() throws -> [HTTPField] {
        switch self {
        case .field(let field):
            return [field]
        case .file(let path):
            let lines = try InputFile.read(path).split(separator: UInt8(ascii: "\n"))
            return try InputFile.naming(path) {
                try lines.compactMap { line in
                    let text = String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
                    return text.isEmpty ? nil : try Self.field(text)
                }
            }
        }
    }

    /// What the session says itself, because it could not be right otherwise, and what says it in its place.
    private static let own: [String: String] = [
        "content-length": "the body's length is found out",
        "transfer-encoding": "how the body goes is found out",
        "host": "it is the URL's host; --resolve leads elsewhere",
    ]

    private static func field(_ text: String) throws(WrongValue) -> HTTPField {
        guard let colon = text.firstIndex(of: ":"), let name = HTTPField.Name(String(text[..<colon])) else {
            throw WrongValue("write it as \"Name: value\", or @FILE")
        }
        if let reason = own[name.canonicalName] { throw WrongValue("\(name) cannot be given: \(reason)") }
        let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        guard HTTPField.isValidValue(String(value)) else {
            throw WrongValue("the value of \(name) has a character that no field can have")
        }
        return HTTPField(name: name, value: String(value))
    }
}

extension HeaderOption {
    /// Whether it is a field that holds a credential; what a file holds is not known.
    var holdsCredential: Bool {
        guard case .field(let field) = self else { return false }
        return Redaction.hides(field)
    }
}
