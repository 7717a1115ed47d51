// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
package import Secrets

/// The entries of a `.netrc` file: the user and the password for each host.
///
/// The format is that of ftp(1) as curl 8 reads it: words between spaces or line breaks, quotes around a word with `\"`, `\\`, `\n`, `\r`
/// and `\t` in it, comments on lines of their own, macros skipped. A word that has no meaning is an error.
///
/// An entry names a machine, and no port and no scheme. ``NetrcHandler`` says which servers of the machine get its password.
public struct NetrcFile: Hashable, Sendable {
    /// A keyword of the format.
    public enum Keyword: String, Hashable, Sendable {
        /// The keyword `machine`, which begins the entry of a host.
        case machine
        /// The keyword `default`, which begins an entry for every machine that has none.
        case `default`
        /// The keyword `login`, which is followed by the user name.
        case login
        /// The keyword `password`.
        case password
        /// The keyword `account`, which is read and not used.
        case account
        /// The keyword `macdef`, which is skipped with the lines that follow, up to an empty line.
        case macdef
    }

    /// What one `machine` or `default` is followed by.
    package struct Entry: Hashable, Sendable {
        /// `nil` for `default`.
        package let machine: String?
        /// `nil` where there is none, which is not the same as an empty one.
        package internal(set) var login: String?
        /// `nil` where there is none, which is not the same as an empty one.
        package internal(set) var password: Secret?
    }

    /// Largest file that is read, in bytes.
    public static let sizeLimit = 128 << 10

    /// In the order of the file.
    package let entries: [Entry]

    /// Reads a file's contents.
    ///
    /// - Parameter bytes: The whole file.
    /// - Throws: ``NetrcError``, with the line of the defect.
    public init(_ bytes: some Collection<UInt8>) throws(NetrcError) {
        guard bytes.count <= Self.sizeLimit else { throw .tooLarge(limit: Self.sizeLimit) }
        var parser = NetrcParser(Array(bytes))
        entries = try parser.parse()
    }

    /// Returns the user and the password for a host: those of its first entry with that login and with a password.
    ///
    /// Login and password always come from the same entry. Where the host has entries, `default` does not apply to it, even if none of them
    /// has a password (CVE-2024-11053, CVE-2025-0167). An entry without a login applies to every login.
    ///
    /// - Parameters:
    ///   - host: The host that asks.
    ///   - login: The login that the entry must have, compared with regard to case; `nil` for any.
    ///   - usesDefault: Whether `default` applies to a host that has no entry. Every such host then gets its password.
    /// - Returns: The user and the password; `nil` where the file has no password for the host.
    public func credential(for host: HostName, login: String? = nil, usesDefault: Bool = false) -> Credential? {
        let own = entries.filter { $0.machine.map { Self.isName($0, of: host) } ?? false }
        let candidates = own.isEmpty && usesDefault ? entries.filter { $0.machine == nil } : own
        for entry in candidates where login == nil || entry.login == nil || entry.login == login {
            if let password = entry.password { return .password(user: entry.login ?? login ?? "", password: password) }
        }
        return nil
    }

    private static func isName(_ machine: String, of host: HostName) -> Bool {
        guard let name = try? HostName(machine) else { return false }
        return name == host
    }
}
