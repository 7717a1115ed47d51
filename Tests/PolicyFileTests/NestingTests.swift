// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
import TrustRecipes
import Yams

@testable import PolicyFile

@Suite struct NestingTests {
    /// What texts are made of: much of it opens, closes or hides a bracket.
    private static let pieces = [
        "[", "]", "{", "}", "[a", "]", "[\n", "]\n", ",", ", ", "a", "a: ", ": ", ":", "\"", "'", "\"a\"", "'a'", "''",
        "\\\"", "#", " #", " # ", "\n", "\n ", " ", "\n- ", "\nk: ", "|\n", "a'b", "a\"b", "\"]\"", "\"[\"", "']'", "-",
    ]

    /// The bound has to hold whatever the text; only what a parser accepts can be measured.
    @Test("The nesting bound is never below the depth that the parser finds") func bound() throws {
        var random = SplitMix64(seed: 20_261_121)
        var (accepted, deepest) = (0, 0)
        for _ in 0..<50_000 {
            let text = Self.text(using: &random)
            guard let node = try? Yams.compose(yaml: text, .basic, .default, .utf8) else { continue }
            accepted += 1
            var check = NestingCheck()
            for scalar in text.unicodeScalars { _ = check.read(scalar) }
            let depth = Self.depth(node, in: Self.lines(of: text))
            deepest = max(deepest, depth)
            if depth > check.bound { Issue.record("\(depth) and not \(check.bound): \(text.debugDescription)") }
        }
        #expect(accepted > 1_000)
        #expect(deepest > 3)
    }

    /// A good text with a few pieces put in or taken out, or nothing but pieces.
    private static func text(using random: inout SplitMix64) -> String {
        var parts = collection(5, using: &random)
        if Bool.random(using: &random) { parts = Array(repeating: "", count: 24) }
        for _ in 0..<Int.random(in: 0...(parts.contains("") ? 24 : 4), using: &random) {
            let piece = pieces.randomElement(using: &random) ?? ""
            parts[Int.random(in: parts.indices, using: &random)] = Bool.random(using: &random) ? piece : ""
        }
        return parts.joined()
    }

    private static func collection(_ limit: Int, using random: inout SplitMix64) -> [String] {
        let elements = (0..<Int.random(in: 0...2, using: &random)).flatMap { _ in
            limit > 0 && Int.random(in: 0..<4, using: &random) > 0
                ? collection(limit - 1, using: &random) + [", "]
                : [["a", "\"a]\"", "'a'", "a#b", "\"\\\"\""].randomElement(using: &random) ?? "", ","]
        }
        let space = [" ", "\n", " # a\n", " # '\n", " # ]\n", ""].randomElement(using: &random) ?? ""
        return ["[", space] + elements + [space, "]"]
    }

    private static func lines(of text: String) -> [[Unicode.Scalar]] {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(Array.init)
    }

    /// How many collections that begin with a bracket are within each other; Yams 6.2 does not tell styles.
    private static func depth(_ node: Node, in lines: [[Unicode.Scalar]]) -> Int {
        let inner: [Node] =
            switch node {
            case .scalar, .alias: []
            case .sequence(let sequence): Array(sequence)
            case .mapping(let mapping): mapping.flatMap { [$0.key, $0.value] }
            }
        let deepest = inner.map { depth($0, in: lines) }.max() ?? 0
        // A block mapping begins where its first key does, which may be a bracket.
        let key = node.mapping?.first?.key.mark
        guard node.scalar == nil, let mark = node.mark, lines.indices.contains(mark.line - 1),
            key?.line != mark.line || key?.column != mark.column,
            lines[mark.line - 1].indices.contains(mark.column - 1)
        else { return deepest }
        return deepest + ("[{".unicodeScalars.contains(lines[mark.line - 1][mark.column - 1]) ? 1 : 0)
    }
}
