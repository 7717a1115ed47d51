// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The name of a site: the user's text, or the host name of a URL.
public struct SiteName: Sendable, Hashable {
    /// The name in UTF-8.
    public let utf8: [UInt8]

    /// Creates a name from a text, trimmed of whitespace; if the text contains a slash, from the host name in it.
    ///
    /// A host name is in lower case, without user and port (RFC 3986 section 3.2).
    public init(_ text: String) { self.init(utf8: Array(text.utf8)) }

    /// Creates a name from a text in UTF-8, as `init(_:)` does.
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
        // The authority ends at a slash, a question mark or a number sign.
        if let end = authority.firstIndex(where: { [0x2F, 0x3F, 0x23].contains($0) }) { authority = authority[..<end] }
        if let at = authority.lastIndex(of: 0x40) { authority = authority[(at + 1)...] }
        // The colons of an IPv6 address are in brackets.
        if authority.first == 0x5B, let bracket = authority.firstIndex(of: 0x5D) {
            authority = authority[...bracket]
        } else if let colon = authority.firstIndex(of: 0x3A) {
            authority = authority[..<colon]
        }
        return lowercased(authority)
    }
}

/// Returns the text with ASCII letters in lower case.
func lowercased(_ text: some Sequence<UInt8>) -> [UInt8] {
    text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
}

/// The account at a site, and the counter that distinguishes its passwords.
public struct ComposerAccount: Sendable, Hashable {
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

/// The character classes of a password, each of which occurs at least once, and its length.
public struct ComposerCharacters: Sendable, Hashable {
    let classes: CharacterClasses
    let length: Int

    /// Creates a choice of classes and a length.
    ///
    /// - Parameters:
    ///   - classes: The character classes; all by default.
    ///   - length: The number of characters; 16 by default. ``ComposerMode/lengths`` is the range of a mode.
    public init(_ classes: CharacterClasses = .all, length: Int = 16) {
        (self.classes, self.length) = (classes, length)
    }
}

/// A set of ASCII character classes.
public struct CharacterClasses: OptionSet, Sendable, Hashable {
    /// The sum of the numbers of the classes: 1, 2, 4 and 8.
    public let rawValue: UInt8

    /// Creates a set from the sum of the numbers of its classes.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The letters a to z, with the number 1.
    public static let lowercase = CharacterClasses(rawValue: 1)
    /// The letters A to Z, with the number 2.
    public static let uppercase = CharacterClasses(rawValue: 2)
    /// The digits 0 to 9, with the number 4.
    public static let digits = CharacterClasses(rawValue: 4)
    /// The symbols that the mode defines, with the number 8.
    public static let symbols = CharacterClasses(rawValue: 8)
    /// All four classes.
    public static let all: CharacterClasses = [.lowercase, .uppercase, .digits, .symbols]

    /// Returns the characters of each chosen class, in the order of the numbers.
    func alphabets(symbols: StaticString) -> [[UInt8]] {
        var alphabets: [[UInt8]] = []
        if contains(.lowercase) { alphabets.append(Array(0x61...0x7A)) }
        if contains(.uppercase) { alphabets.append(Array(0x41...0x5A)) }
        if contains(.digits) { alphabets.append(Array(0x30...0x39)) }
        if contains(.symbols) { alphabets.append(ascii(symbols)) }
        return alphabets
    }
}

/// Returns the bytes of a literal.
func ascii(_ text: StaticString) -> [UInt8] {
    Array(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
}
