// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Yams

/// The text of a policy file, made into one tree of nodes within bounds.
enum PolicyDocument {
    /// Largest file, in bytes.
    static let limit = 1 << 20

    static func root(of bytes: [UInt8], file: String) throws(PolicyFileError) -> PolicyNode {
        let top = Position(file: file)
        guard bytes.count <= limit else { throw top.error(.tooLarge(limit: limit)) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Position(file: file, after: validPrefix(of: bytes)).error(.notUTF8)
        }
        try check(text, file: file)
        do {
            // The basic resolver leaves every scalar a text, so that no version of YAML decides what "no" or "1e3" is.
            let node = try Yams.compose(yaml: text, .basic, .default, .utf8)
            return PolicyNode(node: content(node) ?? Node([(Node, Node)]()), file: file, key: PolicyFileKey(steps: []))
        } catch let error as YamlError {
            throw Self.error(error, file: file, end: Position(file: file, after: bytes[...]))
        } catch {
            throw top.error(.syntax("\(error)"))
        }
    }

    /// Takes a document without content, such as `---` and no more, for an empty file; the parser puts it after the end.
    private static func content(_ root: Node?) -> Node? {
        guard case .scalar(let scalar) = root, scalar.string.isEmpty, scalar.style == .plain else { return root }
        return nil
    }

    /// Refuses, before anything is parsed, what a parser could be made to spend too much time or stack on.
    ///
    /// The parser expands aliases and compares keys with all that they hold, hence no anchors and no keys but texts; and tags
    /// may hold brackets. Each begins where a token begins, which is never after a letter or a digit (YAML 1.2.2 sections 6.9
    /// and 8.2.2), so none is missed; "R&D" is let through, and "a/&b" is not, even in quotes.
    private static func check(_ text: String, file: String) throws(PolicyFileError) {
        var nesting = NestingCheck()
        var (beforeMark, mark): (Unicode.Scalar, Unicode.Scalar) = ("\n", "\n")
        for scalar in text.unicodeScalars {
            let isFree = nesting.read(scalar)
            let place = Position(file: file, line: max(nesting.line, 1), column: max(nesting.column - 1, 1))
            guard isFree else { throw place.error(.nestedTooDeeply(limit: NestingCheck.limit)) }
            if let feature = PolicyFileError.Feature(mark), !beforeMark.isWord,
                feature == .explicitKey || !scalar.isBlank
            {
                throw place.error(.unsupportedYAML(feature))
            }
            (beforeMark, mark) = (mark, scalar)
        }
    }

    private static func validPrefix(of bytes: [UInt8]) -> ArraySlice<UInt8> {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var count = 0
        while case .scalarValue(let scalar) = decoder.decode(&iterator) { count += UTF8.width(scalar) }
        return bytes[..<count]
    }

    private static func error(_ error: YamlError, file: String, end: Position) -> PolicyFileError {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            // The parser puts the end of a text on a line of its own, which need not be there.
            let position = mark.line > end.place.line ? end : Position(file: file, mark)
            return position.error(.syntax(problem))
        case .reader(let problem, let offset, _, let text):
            let before = Array(text.prefix(max(offset ?? 0, 0)).utf8)
            return Position(file: file, after: before[...]).error(.syntax(problem))
        case .duplicatedKeysInMapping(let names, let context):
            let key = names.first ?? ""
            return Position(file: file, context.mark, key: key).error(.duplicateKey(key))
        case .memory:
            return Position(file: file).error(.syntax("nested too deeply"))
        case .no, .writer, .emitter, .representer, .dataCouldNotBeDecoded:
            return Position(file: file).error(.syntax("\(error)"))
        }
    }
}

/// A place that no node stands for.
private struct Position {
    let place: PolicyFilePlace

    init(file: String, line: Int = 1, column: Int = 1, key: String? = nil) {
        let steps = key.map { [PolicyFileKey.Step.key($0)] } ?? []
        place = PolicyFilePlace(file: file, line: line, column: column, key: PolicyFileKey(steps: steps))
    }

    init(file: String, _ mark: Mark, key: String? = nil) {
        self.init(file: file, line: max(mark.line, 1), column: max(mark.column, 1), key: key)
    }

    /// Where one is after reading these bytes.
    init(file: String, after bytes: ArraySlice<UInt8>) {
        var (line, lineStart, index) = (1, bytes.startIndex, bytes.startIndex)
        while index < bytes.endIndex {
            let length = bytes[index...].lineBreakLength
            index += max(length, 1)
            if length > 0 { (line, lineStart) = (line + 1, index) }
        }
        // Bytes that continue a character are none of their own.
        let column = bytes[lineStart...].count { $0 & 0xC0 != 0x80 }
        self.init(file: file, line: line, column: column + 1)
    }

    func error(_ reason: PolicyFileError.Reason) -> PolicyFileError { PolicyFileError(place: place, reason: reason) }
}

extension PolicyFileError.Feature {
    /// What begins with a character at the beginning of a token.
    fileprivate init?(_ mark: Unicode.Scalar) {
        switch mark {
        case "&": self = .anchor
        case "!": self = .tag
        case "?": self = .explicitKey
        default: return nil
        }
    }
}

extension Unicode.Scalar {
    /// Whether it is a letter or a digit of ASCII.
    fileprivate var isWord: Bool { isASCII && (properties.isAlphabetic || properties.numericType != nil) }

    fileprivate var isBlank: Bool { " \t\r\n".unicodeScalars.contains(self) }
}

extension ArraySlice<UInt8> {
    /// How many bytes the line break has that it begins with, 0 where it begins with none.
    ///
    /// The parser's line breaks are those of YAML 1.1 section 5.4: three more than YAML 1.2 has.
    fileprivate var lineBreakLength: Int {
        switch first {
        case 0x0A: 1
        case 0x0D: dropFirst().first == 0x0A ? 2 : 1
        case 0xC2: dropFirst().first == 0x85 ? 2 : 0
        case 0xE2: dropFirst().starts(with: [0x80, 0xA8]) || dropFirst().starts(with: [0x80, 0xA9]) ? 3 : 0
        default: 0
        }
    }
}
