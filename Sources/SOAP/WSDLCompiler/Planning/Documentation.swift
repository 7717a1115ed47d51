// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Documentation {
    /// The paragraphs of the comment, of which the first is a single sentence.
    var paragraphs: [String] {
        var result = text.map(Self.paragraphs) ?? []
        if result.isEmpty { result = [summary] }
        if let note { result.append(note) }
        return result
    }

    /// Splits the text of a description into paragraphs, without empty ones.
    static func paragraphs(_ text: String) -> [String] {
        var paragraphs: [String] = []
        var words: [Substring] = []
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let found = line.split(whereSeparator: \.isWhitespace)
            if found.isEmpty, !words.isEmpty {
                paragraphs.append(words.joined(separator: " "))
                words = []
            }
            words += found
        }
        if !words.isEmpty { paragraphs.append(words.joined(separator: " ")) }
        guard let first = paragraphs.first else { return [] }
        let (sentence, rest) = firstSentence(spelledOut(first))
        return [terminated(sentence)] + (rest.isEmpty ? [] : [rest]) + paragraphs.dropFirst()
    }

    /// Returns the text without abbreviations that look like the end of a sentence.
    private static func spelledOut(_ text: String) -> String {
        var result = text
        for (abbreviation, words) in [
            ("e.g.", "for example"), ("i.e.", "that is"), ("etc. ", "and so on "), ("vs. ", "versus "),
        ]
        where result.contains(abbreviation) {
            result = result.split(separator: abbreviation, omittingEmptySubsequences: false).joined(separator: words)
        }
        return result
    }

    private static func firstSentence(_ text: String) -> (sentence: String, rest: String) {
        var previous: Character = " "
        for index in text.indices {
            if text[index] == " ", previous == "." || previous == "!" || previous == "?" {
                return (String(text[..<index]), String(text[text.index(after: index)...]))
            }
            previous = text[index]
        }
        return (text, "")
    }

    private static func terminated(_ sentence: String) -> String {
        var sentence = sentence
        while let last = sentence.last, ":;,-!?".contains(last) { sentence.removeLast() }
        return sentence.hasSuffix(".") ? sentence : sentence + "."
    }
}
