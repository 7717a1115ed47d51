// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The name of a site: the user's text, or the host name of a URL.
public struct SiteName: Sendable, Hashable {
    /// The name in UTF-8.
    public let utf8: [UInt8]

    /// Takes a text without white space at its ends or, where it has a slash, the host name in it.
    ///
    /// A host name is taken in lower case, without user and port (RFC 3986 section 3.2).
    public init(_ text: String) { self.init(utf8: Array(text.utf8)) }

    /// Takes a text in UTF-8, as `init(_:)` does.
    public init(utf8 text: [UInt8]) {
        var name = text[...]
        while let byte = name.first, byte <= 0x20 { name.removeFirst() }
        while let byte = name.last, byte <= 0x20 { name.removeLast() }
        self.utf8 = name.contains(0x2F) ? Self.host(of: name) : Array(name)
    }

    private static func host(of url: ArraySlice<UInt8>) -> [UInt8] {
        var authority = url
        if let slash = url.firstIndex(of: 0x2F), url[slash...].starts(with: [0x2F, 0x2F]),
            slash == url.startIndex || url[slash - 1] == 0x3A
        {
            authority = url[(slash + 2)...]
        }
        // It ends at a slash, a question mark or a number sign.
        if let end = authority.firstIndex(where: { [0x2F, 0x3F, 0x23].contains($0) }) { authority = authority[..<end] }
        if let at = authority.lastIndex(of: 0x40) { authority = authority[(at + 1)...] }
        // The colons of an address of IPv6 stand in brackets.
        if authority.first == 0x5B, let bracket = authority.firstIndex(of: 0x5D) {
            authority = authority[...bracket]
        } else if let colon = authority.firstIndex(of: 0x3A) {
            authority = authority[..<colon]
        }
        return lowercased(authority)
    }
}

/// The text with ASCII letters in lower case.
func lowercased(_ text: some Sequence<UInt8>) -> [UInt8] {
    text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
}

/// The account at a site that a password is for, and the number of the password.
public struct Account: Sendable, Hashable {
    let login: [UInt8]
    let counter: UInt32

    /// Creates an account from a login in UTF-8.
    ///
    /// - Parameters:
    ///   - login: The login as UTF-8, which may be empty.
    ///   - counter: The number of the password, from 1, the default. Another number gives another password.
    public init(loginBytes login: [UInt8], counter: UInt32 = 1) {
        (self.login, self.counter) = (login, counter)
    }

    /// Creates an account from a login.
    ///
    /// - Parameters:
    ///   - login: The login; empty by default.
    ///   - counter: The number of the password, from 1, the default. Another number gives another password.
    public init(login: String = "", counter: UInt32 = 1) {
        self.init(loginBytes: Array(login.utf8), counter: counter)
    }
}

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
