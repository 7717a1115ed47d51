// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The words that an XML name or a value is made of: `HTTPStatus_code2` is HTTP, Status, code2.
struct NameWords {
    /// The words as they are written.
    let words: [String]
    /// Whether no letter is a lower-case one, so that the case tells nothing.
    let isUpperCase: Bool

    /// Splits at everything but letters and digits, before a capital after another letter or a digit, and before an acronym's last capital where
    /// that begins a word.
    init(_ text: some StringProtocol) {
        let characters = Array(text)
        var words: [String] = []
        var word = ""
        var hasLowerCase = false
        for (index, character) in characters.enumerated() {
            guard character.isIdentifierPart else {
                if !word.isEmpty { words.append(word) }
                word = ""
                continue
            }
            hasLowerCase = hasLowerCase || character.isLowercase
            if !word.isEmpty, Self.begins(at: index, of: characters) {
                words.append(word)
                word = ""
            }
            word.append(character)
        }
        if !word.isEmpty { words.append(word) }
        self.words = words
        isUpperCase = !hasLowerCase
    }

    /// Whether the character begins a word although one is before it.
    private static func begins(at index: Int, of characters: [Character]) -> Bool {
        guard characters[index].isUppercase, index > 0 else { return false }
        let previous = characters[index - 1]
        guard previous.isUppercase else { return true }
        guard index + 1 < characters.count, characters[index + 1].isLowercase else { return false }
        // A plural such as URLs or IDs stays one word.
        let isPlural =
            characters[index + 1] == "s" && (index + 2 >= characters.count || !characters[index + 2].isLowercase)
        return !isPlural
    }
}

extension Character {
    /// Whether it may stand in an identifier, other than an underscore, which our identifiers do not have.
    var isIdentifierPart: Bool {
        guard !isASCII else { return isLetter || isNumber }
        return unicodeScalars.allSatisfy(\.properties.isXIDContinue)
    }

    /// Whether it may begin an identifier.
    var isIdentifierHead: Bool {
        guard !isASCII else { return isLetter }
        return unicodeScalars.first?.properties.isXIDStart == true
    }
}
