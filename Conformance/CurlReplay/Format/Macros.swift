// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
import EssentialFoundation

/// The replacement of variables and macros in curl's test files.
///
/// See "Variables" and "preprocessing" in curl's tests/FILEFORMAT.md.
struct Macros: Sendable {
    /// The variables, sorted by descending length, because one name may be the prefix of another.
    private let variables: [(name: String, value: [UInt8])]
    private let features: Features

    init(_ variables: [String: String], features: Features = .unix) {
        let all = variables.merging(Self.characters) { given, _ in given }
        self.variables = all.map { ("%" + $0.key, Array($0.value.utf8)) }.sorted { $0.name.count > $1.name.count }
        self.features = features
    }

    private static let characters = ["CR": "\r", "LF": "\n", "TAB": "\t", "AMP": "&", "SP": " "]

    /// Returns a test file with all variables and macros replaced.
    func expand(_ file: [UInt8]) -> [UInt8] {
        var conditions: [Bool] = []
        var expanded: [UInt8] = []
        for line in file.lines where !updateConditions(&conditions, line) && conditions.allSatisfy(\.self) {
            expanded += expandLine(Array(line))
        }
        return expanded
    }

    /// Returns whether the line is `%if`, `%else` or `%endif`, and updates the conditions.
    private func updateConditions(_ conditions: inout [Bool], _ line: some Sequence<UInt8>) -> Bool {
        let words = String(decoding: Array(line), as: UTF8.self).split { $0.isWhitespace || $0.isNewline }
        switch words.first {
        case "%if" where words.count > 1: conditions.append(features.satisfy(words[1]))
        case "%else": if let last = conditions.popLast() { conditions.append(!last) }
        case "%endif": _ = conditions.popLast()
        default: return false
        }
        return true
    }

    private func expandLine(_ line: [UInt8]) -> [UInt8] {
        guard line.contains(UInt8(ascii: "%")) else { return line }
        var line = expandVariables(line)
        for function in Function.allCases { line = function.expand(line) }
        return line
    }

    private func expandVariables(_ line: [UInt8]) -> [UInt8] {
        var (expanded, rest) = ([UInt8](), line[...])
        while let sign = rest.firstIndex(of: UInt8(ascii: "%")) {
            expanded += rest[..<sign]
            rest = rest[sign...]
            if let match = variables.first(where: { rest.starts(with: $0.name.utf8) }) {
                expanded += match.value
                rest = rest.dropFirst(match.name.utf8.count)
            } else {
                expanded.append(UInt8(ascii: "%"))
                rest = rest.dropFirst()
            }
        }
        return expanded + rest
    }
}

extension Macros {
    /// A macro that transforms the text inside it; macros that may be nested in others come first.
    enum Function: String, CaseIterable {
        case repeating = "repeat"
        case hexadecimal = "hex"
        case base64 = "b64"

        private var start: String { "%\(rawValue)[" }
        private var end: String { self == .repeating ? "]%" : "]\(rawValue)%" }

        func expand(_ line: [UInt8]) -> [UInt8] {
            var (expanded, rest) = ([UInt8](), line[...])
            while let opening = rest.firstIndex(of: start) {
                let inner = rest[(opening + start.utf8.count)...]
                guard let closing = inner.firstIndex(of: end) else { break }
                expanded += rest[..<opening]
                expanded += apply(to: inner[..<closing])
                rest = inner[(closing + end.utf8.count)...]
            }
            return expanded + rest
        }

        private func apply(to text: ArraySlice<UInt8>) -> [UInt8] {
            switch self {
            case .hexadecimal: return PercentCode.decode(text)
            case .base64: return Base64.characters(of: PercentCode.decode(text))
            case .repeating:
                guard let separator = text.firstIndex(of: " x "),
                    let count = Int(String(decoding: text[..<separator], as: UTF8.self)), count >= 0
                else { return Array(text) }
                let repeated = PercentCode.decode(text[(separator + 3)...])
                return Array(repeatElement(repeated, count: count).joined())
            }
        }
    }
}

/// Percent-decoding in curl's test files, in which invalid codes are unchanged.
enum PercentCode {
    static func decode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var (decoded, rest) = ([UInt8](), Array(bytes)[...])
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap(Hexadecimal.value(of:))
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                decoded.append(digits[0] << 4 | digits[1])
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return decoded
    }

    static func decode(_ text: some StringProtocol) -> String {
        String(decoding: decode(text.utf8), as: UTF8.self)
    }
}

extension Collection<UInt8> {
    /// Returns the first index of a text.
    func firstIndex(of text: String) -> Index? { firstRange(of: Array(text.utf8))?.lowerBound }

    func contains(_ text: String) -> Bool { firstIndex(of: text) != nil }
}

extension Collection<UInt8> {
    /// The lines with their terminators.
    var lines: [SubSequence] {
        var (lines, start) = ([SubSequence](), startIndex)
        while start != endIndex {
            let end = self[start...].firstIndex(of: UInt8(ascii: "\n")).map { index(after: $0) } ?? endIndex
            lines.append(self[start..<end])
            start = end
        }
        return lines
    }
}

/// The reason for which a test cannot be replayed.
enum ReplayError: Error, Hashable, CustomStringConvertible {
    case unreadableIndex(path: String)
    case unreadableTest(path: String)
    /// A file that an option names cannot be read.
    case unreadableFile(path: String)
    case unreadableURL(String)
    /// The session or this program does not support an option.
    case unsupported(String)

    var description: String {
        switch self {
        case .unreadableIndex(let path): "\(path) is no list of tests"
        case .unreadableTest(let path), .unreadableFile(let path): "cannot read \(path)"
        case .unreadableURL(let text): "\(text) is no URL"
        case .unsupported(let what): "the session has nothing for \(what)"
        }
    }
}
