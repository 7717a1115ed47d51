// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The words that lists of leaked passwords begin with.
enum CommonPasswords {
    /// Whether a password is one of the words, or one with digits and marks after it.
    ///
    /// - Parameter password: In lower case.
    /// - Returns: Whether it is.
    static func contains(_ password: [UInt8]) -> Bool {
        let stem = password.reversed().drop { !(0x61...0x7A).contains($0) && $0 < 0x80 }.reversed()
        return words.contains(password) || words.contains(Array(stem))
    }

    private static let words = Set(
        """
        password 123456 12345678 123456789 1234567890 qwerty qwertyuiop iloveyou princess sunshine football baseball
        superman welcome dragon monkey letmein master shadow michael jennifer computer internet whatever trustno
        starwars charlie freedom hello secret admin administrator login changeme default guest passw0rd p@ssword
        p@ssw0rd pa55word passwort password1 mynoob access flower hottie loveme zaq1zaq1 qazwsx qwerty123 abc123
        abcd1234 asdfghjkl zxcvbnm samsung google facebook linkedin liverpool chelsea arsenal barcelona pokemon
        nintendo minecraft batman spiderman jordan hunter killer soccer hockey ginger pepper cookie chocolate
        butterfly summer winter autumn spring monday friday january february september october november december
        temporary testtest test testing summer2024 summer2025 winter2024 winter2025 company office market business
        lovely family swordfish opensesame motdepasse contraseña hallo schatz geheim wachtwoord senha parola heslo
        haslo
        """.split(whereSeparator: \.isWhitespace).map { Array($0.utf8) })
}
