// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The classes of a password's characters, each of which occurs at least once, and the password's length.
public struct Characters: Sendable, Hashable {
    let classes: CharacterClasses
    let length: Int

    /// Chooses the classes and the length.
    ///
    /// - Parameters:
    ///   - classes: The classes that the password has; all by default.
    ///   - length: The number of characters; 16 by default. ``ComposerMode/lengths`` tells the range of a mode.
    public init(_ classes: CharacterClasses = .all, length: Int = 16) {
        (self.classes, self.length) = (classes, length)
    }
}

/// A set of classes of ASCII characters.
public struct CharacterClasses: OptionSet, Sendable, Hashable {
    /// The sum of 1, 2, 4 and 8 for the classes below.
    public let rawValue: UInt8

    /// Creates a set from the sum of its classes' numbers.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The letters a to z; its number is 1.
    public static let lowercase = CharacterClasses(rawValue: 1)
    /// The letters A to Z; its number is 2.
    public static let uppercase = CharacterClasses(rawValue: 2)
    /// The digits 0 to 9; its number is 4.
    public static let digits = CharacterClasses(rawValue: 4)
    /// The symbols that the mode defines; its number is 8.
    public static let symbols = CharacterClasses(rawValue: 8)
    /// All four classes.
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
