// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Makes Swift's identifiers from names and values of a description.
enum SwiftName {
    /// The name of a type: `account_number` is `AccountNumber`.
    static func type(_ name: some StringProtocol) -> String {
        let parts = NameWords(name)
        var result = ""
        for word in parts.words {
            result += capitalized(word, lowercasingRest: parts.isUpperCase && parts.words.count > 1)
        }
        if result.isEmpty { result = capitalized(symbols(name), lowercasingRest: false) }
        if result.first?.isIdentifierHead != true { result = "Value" + result }
        // Letters without case would make a type's name also that of a property.
        return result.first?.isUppercase == true ? result : result + "Type"
    }

    /// The name of a property, a parameter, a method or a case with a value: `AccountNumber` is `accountNumber`.
    static func member(_ name: some StringProtocol) -> String {
        let parts = NameWords(name)
        let result = camel(parts.words, isUpperCase: parts.isUpperCase)
        if result.isEmpty { return symbols(name) }
        return result.first?.isIdentifierHead == true ? result : "value" + capitalized(result, lowercasingRest: false)
    }

    /// The name of a case of an enumeration by its value, which can be any text: `-1.5 %` is `minus1Point5`.
    static func enumerationCase(_ value: String) -> String {
        guard !value.isEmpty else { return "empty" }
        let spelled = value.allSatisfy(\.isIdentifierPart) ? value : spellingNumbers(value)
        let parts = NameWords(spelled)
        guard !parts.words.isEmpty else { return symbols(value) }
        var words: [String] = []
        var length = 0
        for word in parts.words where length + word.count <= mostCharacters || words.isEmpty {
            words.append(word)
            length += word.count
        }
        let result = camel(words, isUpperCase: parts.isUpperCase && words.count > 1 || parts.isUpperCase)
        return result.first?.isIdentifierHead == true ? result : "value" + capitalized(result, lowercasingRest: false)
    }

    /// The identifier in backticks where Swift has another meaning for it.
    static func escaped(_ identifier: String) -> String {
        ReservedNames.keywords.contains(identifier) ? "`\(identifier)`" : identifier
    }

    /// The identifier as an argument's label, where most keywords need no backticks.
    static func label(_ identifier: String) -> String {
        ["inout", "let", "var"].contains(identifier) ? "`\(identifier)`" : identifier
    }

    /// Names of cases made from whole sentences are cut after a word.
    private static let mostCharacters = 60

    private static func camel(_ words: [String], isUpperCase: Bool) -> String {
        guard let first = words.first else { return "" }
        var result = lowercasedFirst(first)
        for word in words.dropFirst() { result += capitalized(word, lowercasingRest: isUpperCase) }
        return result
    }

    /// `URL` and `URLs` are `url` and `urls`; `Name` is `name`.
    private static func lowercasedFirst(_ word: String) -> String {
        let acronym = word.hasSuffix("s") && word.count > 2 ? word.dropLast() : word[...]
        guard acronym.contains(where: \.isLowercase) else { return word.lowercased() }
        return word.prefix(1).lowercased() + word.dropFirst()
    }

    private static func capitalized(_ word: String, lowercasingRest: Bool) -> String {
        // The upper case of ß is SS.
        let first = word.prefix(1).uppercased()
        return (first.count == 1 ? first : first.prefix(1) + first.dropFirst().lowercased())
            + (lowercasingRest ? word.dropFirst().lowercased() : String(word.dropFirst()))
    }

    /// The value with signs and points of numbers as words.
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

    /// The names of the characters, for a text without letters and digits.
    private static func symbols(_ text: some StringProtocol) -> String {
        var result = ""
        for character in text {
            let name = ReservedNames.symbols[character] ?? "symbol"
            result += result.isEmpty ? name : capitalized(name, lowercasingRest: false)
        }
        return result.isEmpty ? "empty" : result
    }
}

/// The words that an XML name or a value is made of: `HTTPStatus_code2` is HTTP, Status, code2.
private struct NameWords {
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
