// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations
public import EssentialFoundation
public import Secrets

/// The logins in a CSV file that a browser or a password manager has exported.
///
/// The first line names the columns; those of Chrome, Edge, Firefox, Safari, 1Password, Bitwarden, KeePassXC and
/// LastPass are recognized, in any order. Such a file contains every password unencrypted: delete it after the import.
public struct PasswordList: Sendable {
    /// A line of the file.
    public struct Login: Hashable, Sendable {
        /// The name of the login in the exporting program; may be empty.
        public let title: String
        /// The URL as written; may be empty or not a URL.
        public let url: String
        /// The user name; may be empty.
        public let user: String
        /// The password, which is never empty.
        public let password: Secret
        /// The realm of HTTP authentication, which Firefox writes; `nil` for a form, and for any realm.
        public let realm: String?
        /// The note; may be empty.
        public let note: String
        /// The line at which the login begins, from 1.
        public let line: Int
        /// The time at which the login was added in the exporting program; `nil` if the file does not include it.
        public let created: Date?
        /// The time at which the password was last changed; `nil` if the file does not include it.
        public let modified: Date?
        /// The values of this software's additional columns.
        package let details: [Detail: String]
    }

    /// The additional columns of this software, which other programs ignore, for properties that have no common column.
    package enum Detail: String, CaseIterable {
        /// The class: `login`, `token` or `password`.
        case kind
        /// The scope: `realm` for a specific realm, even an empty one; `server` for any realm.
        case scope
        /// The authentication method; empty for any method.
        case method
        /// `yes` for the login of a proxy.
        case proxy
        /// `yes` for a login that the server has rejected.
        case rejected
        /// The accessibility.
        case readable
        /// `yes` if the secret can be read on one device only.
        case deviceOnly = "device only"
    }

    /// The names of the exported columns: those of Chrome, Firefox's realm, and the additional ones.
    package static let header =
        ["name", "url", "username", "password", "note", "httpRealm", "created", "modified"]
        + Detail.allCases.map(\.rawValue)

    /// A column that was not imported.
    public struct UnreadColumn: Hashable, Sendable {
        /// The name of the column.
        public let name: String
        /// The number of lines that have a value in it.
        public let lineCount: Int
    }

    /// The maximum size of a file in bytes.
    static let maximumByteCount = 256 << 20

    /// The logins, in the order of the file.
    public let logins: [Login]
    /// The numbers of the lines without a password, such as notes and cards, which were skipped; from 1.
    public let skippedLines: [Int]
    /// The columns with values that are not imported, such as one-time password secrets, folders and custom fields.
    public let unreadColumns: [UnreadColumn]

    /// Parses a file of at most 256 MiB.
    ///
    /// - Parameter bytes: The content of the file, in UTF-8; its first line names the columns.
    /// - Throws: ``PasswordListError`` if the file is too large, has no password column, or has a malformed line.
    public init(_ bytes: some Collection<UInt8>) throws(PasswordListError) {
        guard bytes.count <= Self.maximumByteCount else { throw .tooLarge(limit: Self.maximumByteCount) }
        var reader = CSVReader(Array(bytes))
        guard let header = try reader.next() else { throw .noPasswordColumn }
        let columns = try Columns(header)
        var logins: [Login] = []
        var skippedLines: [Int] = []
        var unread = [Int](repeating: 0, count: header.count)
        while true {
            let line = reader.line
            guard let record = try reader.next() else { break }
            // Empty lines are skipped.
            if record == [[]] { continue }
            guard record.count == header.count else {
                throw .wrongFieldCount(line: line, found: record.count, expected: header.count)
            }
            guard let login = columns.login(record, line: line) else {
                skippedLines.append(line)
                continue
            }
            logins.append(login)
            for column in columns.unread where !Columns.absentValues.contains(record[column]) { unread[column] += 1 }
        }
        (self.logins, self.skippedLines) = (logins, skippedLines)
        unreadColumns = unread.indices.filter { unread[$0] > 0 }.map { column in
            UnreadColumn(name: String(decoding: header[column], as: UTF8.self), lineCount: unread[column])
        }
    }
}

extension PasswordList {
    /// The positions of the columns.
    private struct Columns {
        private let title: Int?
        private let url: Int?
        private let user: Int?
        private let password: Int
        private let realm: Int?
        private let note: Int?
        private let created: Int?
        private let modified: Int?
        private let details: [Detail: Int]
        /// The columns that are not imported.
        let unread: [Int]

        /// Columns of other programs that are ignored: their internal identifiers and times of use.
        private static let ignored: Set = ["guid", "formactionorigin", "timelastused", "icon", "type"]
        /// Values by which programs mark an absent property.
        static let absentValues: Set<[UInt8]> = [[], Array("0".utf8), Array("false".utf8)]

        init(_ header: [[UInt8]]) throws(PasswordListError) {
            let names = header.map { String(decoding: $0, as: UTF8.self).lowercased() }
            let column = { (known: [String]) in known.lazy.compactMap { names.firstIndex(of: $0) }.first }
            guard let password = column(["password", "login_password"]) else { throw .noPasswordColumn }
            self.password = password
            title = column(["title", "name"])
            url = column(["url", "login_uri", "uri", "website"])
            user = column(["username", "login_username", "user"])
            realm = column(["httprealm"])
            note = column(["notes", "note", "extra"])
            created = column(["created", "timecreated"])
            modified = column(["modified", "last modified", "timepasswordchanged"])
            // The additional columns are used only if all are present; otherwise they may belong to another program.
            let isOwn = Detail.allCases.allSatisfy { names.contains($0.rawValue) }
            let details = isOwn ? Detail.allCases : []
            self.details = Dictionary(
                details.compactMap { detail in names.firstIndex(of: detail.rawValue).map { (detail, $0) } },
                uniquingKeysWith: { first, _ in first })
            let read = Set(
                [title, url, user, password, realm, note, created, modified].compactMap(\.self) + self.details.values)
            unread = names.indices.filter { !read.contains($0) && !Self.ignored.contains(names[$0]) }
        }

        func login(_ record: [[UInt8]], line: Int) -> Login? {
            let password = record[password]
            // This software's files distinguish an empty password from none.
            guard !password.isEmpty || !details.isEmpty else { return nil }
            let text = { (column: Int?) in column.map { String(decoding: record[$0], as: UTF8.self) } ?? "" }
            let details = details.mapValues { text($0) }.filter { !$1.isEmpty }
            let realm = text(realm)
            return Login(
                title: text(title), url: text(url), user: text(user), password: Secret(utf8: password),
                realm: realm.isEmpty && details[.scope] != "realm" ? nil : realm, note: text(note), line: line,
                created: Self.time(text(created)), modified: Self.time(text(modified)), details: details)
        }

        /// Parses a time in RFC 3339 format, or in milliseconds since 1970, which Firefox writes.
        private static func time(_ text: String) -> Date? {
            if let milliseconds = Int64(text) { return Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
            return try? Date(text, strategy: .iso8601)
        }
    }
}

/// An error of a file with exported passwords.
@nonexhaustive
public enum PasswordListError: Error, Hashable, Sendable {
    /// The first line names no password column.
    case noPasswordColumn
    /// A quoted field has no closing quote; it begins at this line, from 1.
    case unclosedQuote(line: Int)
    /// A line has a different number of fields than the first one.
    case wrongFieldCount(line: Int, found: Int, expected: Int)
    /// The file is larger than this limit in bytes.
    case tooLarge(limit: Int)
}

extension PasswordListError: CataloguedError {
    /// The error's code, message, reason and advice.
    public var explanation: ErrorExplanation {
        switch self {
        case .noPasswordColumn:
            ErrorExplanation(
                "keychain.list-no-password-column", "The first line names no column of passwords.",
                reason: "The first line of a list of passwords names its columns, and one is called \"password\".",
                advice: "Export the passwords as CSV again, and do not edit the first line.")
        case .unclosedQuote(let line):
            ErrorExplanation(
                "keychain.list-unclosed-quote", "A quoted field that begins in line \(line) does not end.",
                reason: "The file was cut, or a quote inside the field is not doubled (RFC 4180 section 2).",
                advice: "Export the passwords again, or correct the line.")
        case .wrongFieldCount(let line, let found, let expected):
            ErrorExplanation(
                "keychain.list-wrong-field-count",
                "Line \(line) has \(found) fields, but the first line names \(expected).",
                reason: "A field with a comma must be in quotes (RFC 4180 section 2). Nothing was imported.",
                advice: "Export the passwords again, or correct the line.")
        case .tooLarge(let limit):
            ErrorExplanation(
                "keychain.list-too-large", "The list is larger than \(limit) bytes.",
                reason: "It is read into memory completely.", advice: "Divide it into several files.")
        }
    }

    package static var examples: [PasswordListError] {
        [
            .noPasswordColumn, .unclosedQuote(line: 7), .wrongFieldCount(line: 7, found: 3, expected: 4),
            .tooLarge(limit: 256 << 20),
        ]
    }
}

/// Reads CSV records (RFC 4180).
///
/// A line may also end in LF alone, and the last line needs no terminator. A quote inside an unquoted field is an
/// ordinary character.
struct CSVReader {
    private let bytes: ArraySlice<UInt8>
    private var index: Int

    init(_ bytes: [UInt8]) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        self.bytes = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
        index = self.bytes.startIndex
    }

    /// The line number at which the next record begins, from 1.
    private(set) var line = 1

    /// Reads the next record; returns `nil` after the last one.
    ///
    /// - Throws: ``PasswordListError/unclosedQuote(line:)``.
    mutating func next() throws(PasswordListError) -> [[UInt8]]? {
        guard index < bytes.endIndex else { return nil }
        var fields: [[UInt8]] = []
        while true {
            fields.append(try field())
            guard index < bytes.endIndex else { return fields }
            let end = bytes[index]
            index += 1
            if end == Self.comma { continue }
            if end == Self.carriageReturn, index < bytes.endIndex, bytes[index] == Self.lineFeed { index += 1 }
            line += 1
            return fields
        }
    }

    /// Reads a field up to a comma, a line end or the end of the file.
    private mutating func field() throws(PasswordListError) -> [UInt8] {
        guard index < bytes.endIndex, bytes[index] == Self.quote else { return plainField() }
        let start = line
        index += 1
        var field: [UInt8] = []
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            if byte == Self.lineFeed { line += 1 }
            guard byte == Self.quote else {
                field.append(byte)
                continue
            }
            guard index < bytes.endIndex, bytes[index] == Self.quote else { return field + plainField() }
            field.append(byte)
            index += 1
        }
        throw .unclosedQuote(line: start)
    }

    private mutating func plainField() -> [UInt8] {
        let start = index
        while index < bytes.endIndex, ![Self.comma, Self.lineFeed, Self.carriageReturn].contains(bytes[index]) {
            index += 1
        }
        return Array(bytes[start..<index])
    }

    private static let comma = UInt8(ascii: ",")
    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
}
