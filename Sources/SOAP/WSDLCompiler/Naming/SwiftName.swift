// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Derives Swift identifiers from names and values of a description.
enum SwiftName {
    /// Returns the name of a type: `account_number` is `AccountNumber`.
    static func type(_ name: some StringProtocol) -> String {
        let parts = NameWords(name)
        var result = ""
        for word in parts.words {
            result += capitalized(word, lowercasingRest: parts.isUpperCase && parts.words.count > 1)
        }
        if result.isEmpty { result = capitalized(symbols(name), lowercasingRest: false) }
        if result.first?.isIdentifierHead != true { result = "Value" + result }
        // A name in a script without case would be equal to a property name, so types get a suffix.
        return result.first?.isUppercase == true ? result : result + "Type"
    }

    /// Returns the name of a property, parameter, method or case with a value: `AccountNumber` is `accountNumber`.
    static func member(_ name: some StringProtocol) -> String {
        let parts = NameWords(name)
        let result = camel(parts.words, isUpperCase: parts.isUpperCase)
        if result.isEmpty { return symbols(name) }
        return result.first?.isIdentifierHead == true ? result : "value" + capitalized(result, lowercasingRest: false)
    }

    /// Returns the name of an enumeration case by its value, which can be any text: `-1.5 %` is `minus1Point5`.
    static func enumerationCase(_ value: String) -> String {
        guard !value.isEmpty else { return "empty" }
        let spelled = value.allSatisfy(\.isIdentifierPart) ? value : spellingNumbers(value)
        let parts = NameWords(spelled)
        guard !parts.words.isEmpty else { return symbols(value) }
        var words: [String] = []
        var length = 0
        for word in parts.words where length + word.count <= maximumCharacterCount || words.isEmpty {
            words.append(word)
            length += word.count
        }
        let result = camel(words, isUpperCase: parts.isUpperCase && words.count > 1 || parts.isUpperCase)
        return result.first?.isIdentifierHead == true ? result : "value" + capitalized(result, lowercasingRest: false)
    }

    /// Returns the identifier, in backticks if it is a Swift keyword.
    static func escaped(_ identifier: String) -> String {
        ReservedNames.keywords.contains(identifier) ? "`\(identifier)`" : identifier
    }

    /// Returns the identifier as an argument label, for which most keywords need no backticks.
    static func label(_ identifier: String) -> String {
        ["inout", "let", "var"].contains(identifier) ? "`\(identifier)`" : identifier
    }

    /// The length at which a case name that is derived from a long text is cut at a word boundary.
    private static let maximumCharacterCount = 60

    private static func camel(_ words: [String], isUpperCase: Bool) -> String {
        guard let first = words.first else { return "" }
        var result = lowercasedFirst(first)
        for word in words.dropFirst() { result += capitalized(word, lowercasingRest: isUpperCase) }
        return result
    }

    /// Returns the word with a lower-case beginning: `URL` and `URLs` become `url` and `urls`, and `Name`
    /// becomes `name`.
    private static func lowercasedFirst(_ word: String) -> String {
        let acronym = word.hasSuffix("s") && word.count > 2 ? word.dropLast() : word[...]
        guard acronym.contains(where: \.isLowercase) else { return word.lowercased() }
        return word.prefix(1).lowercased() + word.dropFirst()
    }

    private static func capitalized(_ word: String, lowercasingRest: Bool) -> String {
        // The upper case of ß is SS, of which only the first letter stays upper case.
        let first = word.prefix(1).uppercased()
        return (first.count == 1 ? first : first.prefix(1) + first.dropFirst().lowercased())
            + (lowercasingRest ? word.dropFirst().lowercased() : String(word.dropFirst()))
    }

    /// Returns the value with the signs and points of numbers spelled out.
    private static func spellingNumbers(_ value: String) -> String {
        let characters = Array(value)
        var result = ""
        for (index, character) in characters.enumerated() {
            let isBeforeDigit = index + 1 < characters.count && characters[index + 1].isNumber
            let isAfterDigit = index > 0 && characters[index - 1].isNumber
            let isAfterName = index > 0 && characters[index - 1].isIdentifierPart
            switch character {
            case "-" where isBeforeDigit && !isAfterName: result += " minus "
            case "." where isBeforeDigit && isAfterDigit: result += " Point "
            case "+" where !isAfterName || !isBeforeDigit: result += " Plus "
            default: result.append(character)
            }
        }
        return result
    }

    /// Returns the names of the characters in a text without letters and digits.
    private static func symbols(_ text: some StringProtocol) -> String {
        var result = ""
        for character in text {
            let name = ReservedNames.symbols[character] ?? "symbol"
            result += result.isEmpty ? name : capitalized(name, lowercasingRest: false)
        }
        return result.isEmpty ? "empty" : result
    }
}

/// The words of an XML name or value: `HTTPStatus_code2` has the words HTTP, Status and code2.
private struct NameWords {
    /// The words, with their case unchanged.
    let words: [String]
    /// Whether there are no lower-case letters, so that the case does not separate words.
    let isUpperCase: Bool

    /// Splits at all characters except letters and digits, before a capital that follows another letter or a digit, and
    /// before the last capital of an acronym if that capital begins a word.
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

    /// Returns whether a character that follows a letter or digit begins a new word.
    private static func begins(at index: Int, of characters: [Character]) -> Bool {
        guard characters[index].isUppercase, index > 0 else { return false }
        let previous = characters[index - 1]
        guard previous.isUppercase else { return true }
        guard index + 1 < characters.count, characters[index + 1].isLowercase else { return false }
        // A plural such as URLs or IDs remains one word.
        let isPlural =
            characters[index + 1] == "s" && (index + 2 >= characters.count || !characters[index + 2].isLowercase)
        return !isPlural
    }
}

extension Character {
    /// Whether the character is allowed in a generated identifier, which has no underscores.
    var isIdentifierPart: Bool {
        guard !isASCII else { return isLetter || isNumber }
        return unicodeScalars.allSatisfy(\.properties.isXIDContinue)
    }

    /// Whether the character can begin an identifier.
    var isIdentifierHead: Bool {
        guard !isASCII else { return isLetter }
        return unicodeScalars.first?.properties.isXIDStart == true
    }
}
