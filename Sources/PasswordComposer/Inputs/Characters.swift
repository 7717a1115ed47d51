// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What a password consists of: at least one character of each class.
public struct Characters: Sendable, Hashable {
    let classes: CharacterClasses
    let length: Int

    /// Chooses the characters.
    ///
    /// - Parameters:
    ///   - classes: The classes that the password has.
    ///   - length: The number of characters.
    public init(_ classes: CharacterClasses = .all, length: Int = 16) {
        (self.classes, self.length) = (classes, length)
    }
}

/// Classes of ASCII characters.
public struct CharacterClasses: OptionSet, Sendable, Hashable {
    /// The sum of 1, 2, 4 and 8 for the classes below.
    public let rawValue: UInt8

    /// Takes the classes of a sum.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// a to z.
    public static let lowercase = CharacterClasses(rawValue: 1)
    /// A to Z.
    public static let uppercase = CharacterClasses(rawValue: 2)
    /// 0 to 9.
    public static let digits = CharacterClasses(rawValue: 4)
    /// The mode decides which ones.
    public static let symbols = CharacterClasses(rawValue: 8)
    /// Every class.
    public static let all: CharacterClasses = [.lowercase, .uppercase, .digits, .symbols]

    /// The characters of each chosen class, in the order above.
    func alphabets(symbols: StaticString) -> [[UInt8]] {
        var alphabets: [[UInt8]] = []
        if contains(.lowercase) { alphabets.append(Array(0x61...0x7A)) }
        if contains(.uppercase) { alphabets.append(Array(0x41...0x5A)) }
        if contains(.digits) { alphabets.append(Array(0x30...0x39)) }
        if contains(.symbols) { alphabets.append(ascii(symbols)) }
        return alphabets
    }
}

/// The bytes of a text of the program's own.
func ascii(_ text: StaticString) -> [UInt8] {
    Array(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
}
