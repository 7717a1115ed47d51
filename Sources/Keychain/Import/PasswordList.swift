// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Secrets

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
        /// The realm of HTTP's authentication, which Firefox writes; `nil` for a form.
        public let realm: String?
        /// The note; may be empty.
        public let note: String
        /// The line at which the login begins, from 1.
        public let line: Int
    }

    /// The most bytes of a file.
    static let mostBytes = 256 << 20

    /// The logins, in the order of the file.
    public let logins: [Login]
    /// The numbers of the lines without a password, such as notes and cards, which were left out; from 1.
    public let skippedLines: [Int]

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
        while true {
            let line = reader.line
            guard let record = try reader.next() else { break }
            // An empty line is none.
            if record == [[]] { continue }
            guard record.count == header.count else {
                throw .wrongFieldCount(line: line, found: record.count, expected: header.count)
            }
            if let login = columns.login(record, line: line) { logins.append(login) } else { skippedLines.append(line) }
        }
        (self.logins, self.skippedLines) = (logins, skippedLines)
    }
}

extension PasswordList {
    /// Which column holds what.
    private struct Columns {
        private let title: Int?
        private let url: Int?
        private let user: Int?
        private let password: Int
        private let realm: Int?
        private let note: Int?

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
        }

        func login(_ record: [[UInt8]], line: Int) -> Login? {
            let password = record[password]
            guard !password.isEmpty else { return nil }
            let text = { (column: Int?) in column.map { String(decoding: record[$0], as: UTF8.self) } ?? "" }
            let realm = text(realm)
            return Login(
                title: text(title), url: text(url), user: text(user), password: Secret(utf8: password),
                realm: realm.isEmpty ? nil : realm, note: text(note), line: line)
        }
    }
}
