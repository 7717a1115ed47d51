// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSession
import Countersign

/// One part of a form: `name=value`, or `name=@file`, and perhaps `;type=` with the type.
struct FormOption: Sendable {
    enum Content: Hashable, Sendable {
        case text(String)
        case file(String)
    }

    let position = ArgumentPosition.next()
    let name: String
    let content: Content
    let type: String?

    init(_ text: String) throws(WrongValue) {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
            throw WrongValue("write it as name=value or name=@file; ';type=text/csv' at its end says the type")
        }
        name = String(text[..<equals])
        var value = text[text.index(after: equals)...]
        if let mark = value.ranges(of: ";type=").last {
            type = String(value[mark.upperBound...])
            value = value[..<mark.lowerBound]
        } else {
            type = nil
        }
        content = value.first == "@" ? .file(String(value.dropFirst())) : .text(String(value))
    }

    private init(name: String, text: String) {
        (self.name, content, type) = (name, .text(text), nil)
    }

    /// Reads `--form-string`, whose value is never a file and has no type.
    static func text(_ text: String) throws(WrongValue) -> FormOption {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
            throw WrongValue("write it as name=text")
        }
        return FormOption(name: String(text[..<equals]), text: String(text[text.index(after: equals)...]))
    }

    /// - Throws: ``FileError``, ``FileError/failed(path:_:code:)``.
    func part() throws -> FormPart {
        switch content {
        case .text(let text):
            FormPart(name: name, body: .bytes(Array(text.utf8)), contentType: type)
        case .file(let path):
            FormPart(
                name: name, body: try .input(path), fileName: path.split(separator: "/").last.map(String.init) ?? path,
                contentType: type)
        }
    }
}
