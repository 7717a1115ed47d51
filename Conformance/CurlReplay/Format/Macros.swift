// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Replaces what curl's test files leave open (curl's tests/FILEFORMAT.md, "Variables" and "preprocessing").
struct Macros: Sendable {
    /// The longest name first, because one may begin another.
    private let variables: [(name: String, value: [UInt8])]
    private let features: Features

    init(_ variables: [String: String], features: Features = .unix) {
        let all = variables.merging(Self.characters) { given, _ in given }
        self.variables = all.map { ("%" + $0.key, Array($0.value.utf8)) }.sorted { $0.name.count > $1.name.count }
        self.features = features
    }

    private static let characters = ["CR": "\r", "LF": "\n", "TAB": "\t", "AMP": "&", "SP": " "]

    /// A whole test file.
    func expand(_ file: [UInt8]) -> [UInt8] {
        var conditions: [Bool] = []
        var expanded: [UInt8] = []
        for line in file.lines where !steer(&conditions, line) && conditions.allSatisfy(\.self) {
            expanded += expandLine(Array(line))
        }
        return expanded
    }

    /// Whether the line is one of `%if`, `%else` and `%endif`.
    private func steer(_ conditions: inout [Bool], _ line: some Sequence<UInt8>) -> Bool {
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
