// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import ErrorExplanations
package import Secrets

/// The entries of a `.netrc` file: the user and the password for each host.
///
/// The format is that of ftp(1) as read by curl 8: tokens between spaces or line breaks, quoted tokens with the escapes
/// `\"`, `\\`, `\n`, `\r` and `\t`, comments on separate lines, and skipped macros. An unknown token is an error.
///
/// An entry names a machine, but no port and no scheme. ``NetrcHandler`` determines which servers of the machine
/// receive its password.
public struct NetrcFile: Hashable, Sendable {
    /// A keyword of the format.
    @nonexhaustive
    public enum Keyword: String, Hashable, Sendable {
        /// The keyword `machine`, which begins the entry of a host.
        case machine
        /// The keyword `default`, which begins an entry for all machines without an entry.
        case `default`
        /// The keyword `login`, which is followed by the user name.
        case login
        /// The keyword `password`.
        case password
        /// The keyword `account`, whose value is ignored.
        case account
        /// The keyword `macdef`, which is skipped together with the following lines, up to an empty line.
        case macdef
    }

    /// The entry of one `machine` or `default`.
    package struct Entry: Hashable, Sendable {
        /// The machine; `nil` for `default`.
        package let machine: String?
        /// The user name; `nil` if there is none, which is not the same as an empty one.
        package internal(set) var login: String?
        /// The password; `nil` if there is none, which is not the same as an empty one.
        package internal(set) var password: Secret?
    }

    /// The maximum file size, in bytes.
    public static let sizeLimit = 128 << 10

    /// The entries in file order.
    package let entries: [Entry]

    /// Reads a file's contents.
    ///
    /// - Parameter bytes: The complete contents of the file.
    /// - Throws: ``NetrcError``, with the line of the defect.
    public init(_ bytes: some Collection<UInt8>) throws(NetrcError) {
        guard bytes.count <= Self.sizeLimit else { throw .tooLarge(limit: Self.sizeLimit) }
        var parser = NetrcParser(Array(bytes))
        entries = try parser.parse()
    }

    /// Returns the user and the password for a host, from its first entry with that login and a password.
    ///
    /// A machine in another script matches its host, which is in the ASCII form (`xn--`).
    /// Login and password always come from the same entry. If the host has entries, `default` does not apply to it,
    /// even if none of them has a password (CVE-2024-11053, CVE-2025-0167).
    /// An entry without a login applies to every login.
    ///
    /// - Parameters:
    ///   - host: The host of the server.
    ///   - login: The login that the entry must have, compared with regard to case; `nil` for any.
    ///   - usesDefault: Whether `default` applies to a host without an entry,
    ///     so that every such host receives its password.
    /// - Returns: The user and the password; `nil` if the file has no password for the host.
    public func credential(for host: HostName, login: String? = nil, usesDefault: Bool = false) -> Credential? {
        let own = entries.filter { $0.machine.map { Self.isName($0, of: host) } ?? false }
        let candidates = own.isEmpty && usesDefault ? entries.filter { $0.machine == nil } : own
        for entry in candidates where login == nil || entry.login == nil || entry.login == login {
            if let password = entry.password { return .password(user: entry.login ?? login ?? "", password: password) }
        }
        return nil
    }

    /// Returns whether a machine is the host, with U-labels or A-labels in either (RFC 5890 section 2.3.2.1).
    ///
    /// U-labels are compared by their code points: the server of a label that only looks the same gets no password.
    private static func isName(_ machine: String, of host: HostName) -> Bool {
        if let name = try? HostName(machine) { return name == host }
        guard !host.isAddress, machine.utf8.contains(where: { $0 >= 0x80 }) else { return false }
        var name = String(machine.lowercased().map { dots.contains($0) ? "." : $0 })
        if name.hasSuffix(".") { name.removeLast() }
        return Punycode.decodingLabels(of: name).unicodeScalars.elementsEqual(host.inUnicode.unicodeScalars)
    }

    /// The characters that separate labels in other scripts (RFC 3490 section 3.1).
    private static let dots: Set<Character> = ["\u{3002}", "\u{FF0E}", "\u{FF61}"]
}

/// A parser that builds entries from tokens.
private struct NetrcParser {
    private var words: NetrcTokenizer
    private var entries: [NetrcFile.Entry] = []
    private var seen: Set<NetrcFile.Keyword> = []

    init(_ bytes: [UInt8]) {
        words = NetrcTokenizer(bytes)
    }

    mutating func parse() throws(NetrcError) -> [NetrcFile.Entry] {
        while let word = try words.next() {
            guard let keyword = word.keyword else { throw .unexpectedWord(line: word.line) }
            try read(keyword, line: word.line)
        }
        return entries
    }

    private mutating func read(_ keyword: NetrcFile.Keyword, line: Int) throws(NetrcError) {
        switch keyword {
        case .machine: begin(NetrcFile.Entry(machine: try text(of: keyword, line: line)))
        case .default: begin(NetrcFile.Entry(machine: nil))
        case .macdef:
            _ = try value(of: keyword, line: line)
            words.skipMacro()
        case .login, .password, .account:
            guard let last = entries.indices.last else { throw .outsideEntry(keyword, line: line) }
            guard seen.insert(keyword).inserted else { throw .repeated(keyword, line: line) }
            switch keyword {
            case .login: entries[last].login = try text(of: keyword, line: line)
            case .password: entries[last].password = Secret(utf8: try value(of: keyword, line: line).bytes)
            default: _ = try value(of: keyword, line: line)
            }
        }
    }

    private mutating func begin(_ entry: NetrcFile.Entry) {
        entries.append(entry)
        seen = []
    }

    private mutating func value(of keyword: NetrcFile.Keyword, line: Int) throws(NetrcError) -> NetrcTokenizer.Token {
        guard let word = try words.next() else { throw .missingValue(keyword, line: line) }
        return word
    }

    private mutating func text(of keyword: NetrcFile.Keyword, line: Int) throws(NetrcError) -> String {
        let word = try value(of: keyword, line: line)
        guard let text = String(validating: word.bytes, as: UTF8.self) else { throw .notUTF8(line: word.line) }
        return text
    }
}

/// The reason why a `.netrc` file cannot be used.
///
/// Lines are counted from 1. No case holds a token of the file, because any token may be a password.
@nonexhaustive
public enum NetrcError: Error, Hashable, Sendable {
    /// The file exceeds the size limit, in bytes.
    case tooLarge(limit: Int)
    /// A quoted token has no closing quote on its line.
    case unterminatedString(line: Int)
    /// The line has another token instead of a keyword. Often it is a part of an unquoted password that
    /// contains a space.
    case unexpectedWord(line: Int)
    /// A keyword has no value.
    case missingValue(NetrcFile.Keyword, line: Int)
    /// A keyword precedes the first `machine` or `default`.
    case outsideEntry(NetrcFile.Keyword, line: Int)
    /// One entry has the same keyword twice.
    case repeated(NetrcFile.Keyword, line: Int)
    /// The name of a machine or a login is not UTF-8.
    case notUTF8(line: Int)
}

extension NetrcError: CataloguedError {
    /// The explanation of the error: the problem, its cause, and possible solutions.
    public var explanation: ErrorExplanation {
        switch self {
        case .tooLarge(let limit):
            ErrorExplanation(
                "netrc.too-large", "The file is larger than \(limit) bytes.",
                reason: "A netrc file has one short entry for each host. Larger files are not read.",
                advice: "Check that it is a netrc file.")
        case .unterminatedString(let line):
            ErrorExplanation(
                "netrc.unterminated-string", "Line \(line) has a quoted word without a closing quote.",
                reason: "A quoted word ends on the line on which it begins.",
                advice: "Add the closing quote. Write a quote within a word as \\\".")
        case .unexpectedWord(let line):
            ErrorExplanation(
                "netrc.unexpected-word", "Line \(line) has a word where a keyword is expected.",
                reason: "A password with a space in it and without quotes is read as two words.",
                advice: "Put a value with a space in it into double quotes.")
        case .missingValue(let keyword, let line):
            ErrorExplanation(
                "netrc.missing-value", "Line \(line) has \"\(keyword.rawValue)\" without a value.",
                reason: "The file ends where the value should follow.",
                advice: "Write the value after the keyword, and an empty value as \"\".")
        case .outsideEntry(let keyword, let line):
            ErrorExplanation(
                "netrc.outside-entry", "Line \(line) has \"\(keyword.rawValue)\" before the first machine.",
                reason: "Each login and password belongs to the machine above it.",
                advice: "Begin the entry with machine and the name of the host.")
        case .repeated(let keyword, let line):
            ErrorExplanation(
                "netrc.repeated", "Line \(line) has \"\(keyword.rawValue)\" a second time in one entry.",
                reason: "It is unclear which of the values is meant.",
                advice: "Begin an entry for each login, with machine and the name of the host.")
        case .notUTF8(let line):
            ErrorExplanation(
                "netrc.not-utf8", "Line \(line) has a machine or a login that is not UTF-8.",
                reason: "Names of hosts and users are compared as text.",
                advice: "Save the file in UTF-8.")
        }
    }

    package static var examples: [Self] {
        [
            .tooLarge(limit: NetrcFile.sizeLimit), .unterminatedString(line: 3), .unexpectedWord(line: 3),
            .missingValue(.login, line: 3), .outsideEntry(.password, line: 1), .repeated(.login, line: 3),
            .notUTF8(line: 3),
        ]
    }
}
