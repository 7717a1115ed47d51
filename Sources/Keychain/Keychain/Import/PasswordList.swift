// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Secrets

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The logins of a file of comma-separated values that a browser or a password manager has exported.
///
/// The first line names the columns; those of Chrome, Edge, Firefox, Safari, 1Password, Bitwarden, KeePassXC and LastPass are known, in
/// any order. Such a file holds every password in clear: delete it after the import.
public struct PasswordList: Sendable {
    /// A line of the file.
    public struct Login: Hashable, Sendable {
        /// The name of the login in the exporting program; may be empty.
        public let title: String
        /// The URL as written; may be empty or not a URL.
        public let url: String
        /// The user's name; may be empty.
        public let user: String
        /// The password, which is never empty.
        public let password: Secret
        /// The realm of HTTP's authentication, which Firefox writes; `nil` for a form, and for every realm.
        public let realm: String?
        /// The note; may be empty.
        public let note: String
        /// The line at which the login begins, from 1.
        public let line: Int
        /// The time at which the login was added in the exporting program; `nil` where the file does not tell.
        public let created: Date?
        /// The time at which the password was last changed; `nil` where the file does not tell.
        public let modified: Date?
        /// The values of the columns that only this software writes.
        package let details: [Detail: String]
    }

    /// The columns that only this software writes, which other programs ignore, for the properties of a login that have no column there.
    package enum Detail: String, CaseIterable {
        /// The class: `login`, `token` or `password`.
        case kind
        /// `realm` where the realm counts, also an empty one; `server` where every realm is answered.
        case scope
        /// The authentication method; empty for every method.
        case method
        /// `yes` for the login of a proxy.
        case proxy
        /// `yes` for a login that the server has rejected.
        case rejected
        /// The accessibility.
        case readable
        /// `yes` where the secret can be read on one device only.
        case deviceOnly = "device only"
    }

    /// The names of the columns that are written: those of Chrome, Firefox's realm, and the columns of this software.
    package static let header =
        ["name", "url", "username", "password", "note", "httpRealm", "created", "modified"]
        + Detail.allCases.map(\.rawValue)

    /// A column whose values are not read.
    public struct UnreadColumn: Hashable, Sendable {
        /// The name of the column.
        public let name: String
        /// The number of lines that have a value in it.
        public let lineCount: Int
    }

    /// The most bytes of a file.
    static let mostBytes = 256 << 20

    /// The logins, in the order of the file.
    public let logins: [Login]
    /// The numbers of the lines without a password, such as notes and cards, which were left out; from 1.
    public let skippedLines: [Int]
    /// The columns with values that are not read, such as secrets of one-time passwords, folders and the user's custom fields.
    public let unreadColumns: [UnreadColumn]

    /// Reads a file of at most 256 MiB.
    ///
    /// - Parameter bytes: The file, in UTF-8; its first line names the columns.
    /// - Throws: ``PasswordListError`` where it is larger, has no column of passwords, or has a broken line.
    public init(_ bytes: some Collection<UInt8>) throws(PasswordListError) {
        guard bytes.count <= Self.mostBytes else { throw .tooLarge(limit: Self.mostBytes) }
        var reader = CSVReader(Array(bytes))
        guard let header = try reader.next() else { throw .noPasswordColumn }
        let columns = try Columns(header)
        var logins: [Login] = []
        var skippedLines: [Int] = []
        var unread = [Int](repeating: 0, count: header.count)
        while true {
            let line = reader.line
            guard let record = try reader.next() else { break }
            // An empty line is none.
            if record == [[]] { continue }
            guard record.count == header.count else {
                throw .wrongFieldCount(line: line, found: record.count, expected: header.count)
            }
            guard let login = columns.login(record, line: line) else {
                skippedLines.append(line)
                continue
            }
            logins.append(login)
            for column in columns.unread where !Columns.empties.contains(record[column]) { unread[column] += 1 }
        }
        (self.logins, self.skippedLines) = (logins, skippedLines)
        unreadColumns = unread.indices.filter { unread[$0] > 0 }.map { column in
            UnreadColumn(name: String(decoding: header[column], as: UTF8.self), lineCount: unread[column])
        }
    }
}

extension PasswordList {
    /// The places of the columns.
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
        /// The columns that are not read.
        let unread: [Int]

        /// The columns of other programs that describe no login: their own numbers and the time of use.
        private static let ignored: Set = ["guid", "formactionorigin", "timelastused", "icon", "type"]
        /// The values by which programs say that a login has no such property.
        static let empties: Set<[UInt8]> = [[], Array("0".utf8), Array("false".utf8)]

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
            // Another program's column of such a name has another meaning.
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
            // This software knows an empty password from none.
            guard !password.isEmpty || !details.isEmpty else { return nil }
            let text = { (column: Int?) in column.map { String(decoding: record[$0], as: UTF8.self) } ?? "" }
            let details = details.mapValues { text($0) }.filter { !$1.isEmpty }
            let realm = text(realm)
            return Login(
                title: text(title), url: text(url), user: text(user), password: Secret(utf8: password),
                realm: realm.isEmpty && details[.scope] != "realm" ? nil : realm, note: text(note), line: line,
                created: Self.time(text(created)), modified: Self.time(text(modified)), details: details)
        }

        /// Reads a time of RFC 3339, or milliseconds since 1970 as Firefox writes them.
        private static func time(_ text: String) -> Date? {
            if let milliseconds = Int64(text) { return Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
            return try? Date(text, strategy: .iso8601)
        }
    }
}
