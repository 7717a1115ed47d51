// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
package import Secrets

/// What a `.netrc` file says: which user and password a host is to be given.
///
/// The format is that of ftp(1) as curl 8 reads it: words between spaces or line breaks, quotes around a word with `\"`, `\\`, `\n`, `\r`
/// and `\t` in it, comments on lines of their own, macros skipped. A word that has no meaning is an error.
///
/// An entry names a machine, and no port and no scheme. ``NetrcHandler`` says which servers of the machine get its password.
public struct NetrcFile: Hashable, Sendable {
    /// A word that means something.
    public enum Keyword: String, Hashable, Sendable {
        case machine
        /// Stands for every machine that has no entry.
        case `default`
        case login
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
    /// - Throws: ``NetrcError``, with the line that is at fault.
    public init(_ bytes: some Collection<UInt8>) throws(NetrcError) {
        guard bytes.count <= Self.sizeLimit else { throw .tooLarge(limit: Self.sizeLimit) }
        var parser = NetrcParser(Array(bytes))
        entries = try parser.parse()
    }

    /// The password for a host: that of the first entry which is the host's, has the login and has a password.
    ///
    /// A password is never taken from another entry than the login: where the host has entries, `default` is not for it, even if
    /// none of them has a password (CVE-2024-11053, CVE-2025-0167). An entry without a login is for any.
    ///
    /// - Parameters:
    ///   - host: Who asks.
    ///   - login: The only login to give, upper and lower case apart; `nil` for any.
    ///   - usesDefault: Whether `default` answers for a host that has no entry; every such host then gets it.
    /// - Returns: `nil` where there is no password.
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
