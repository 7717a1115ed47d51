// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ErrorExplanations
internal import PrivateFiles

/// An error in reading or changing an authority's state.
package enum AuthorityStoreError: Error, Hashable, Sendable {
    case notFound(path: String)
    case exists(path: String)
    case cannotOpen(path: String)
    /// A newer version of this software wrote the state.
    case newerFormat
    case damaged
    case diskFull
    /// Another process kept the database locked for half a minute.
    case busy
    /// The database refuses the change, such as a duplicate serial number.
    case refusedByDatabase
    /// The database cannot be reached. Holds the error message.
    case noDatabase(String)
    /// The database cannot be written.
    case readOnly
    /// The database fails for another reason. Holds the error message.
    case databaseFailed(String)
    /// This build does not support PostgreSQL.
    case withoutPostgreSQL
    /// No certificate has this serial number.
    case noCertificate(String)
    /// The certificate's row does not match the log. Holds the serial number.
    case changedRecord(String)
}

extension AuthorityStoreError: CataloguedError {
    package var explanation: ErrorExplanation {
        switch self {
        case .notFound(let path):
            ErrorExplanation(
                "ca.not-found", "There is no authority in \(path).", reason: "It was not made yet, or is elsewhere.",
                advice: "Make one, or name the folder of another.")
        case .exists(let path):
            ErrorExplanation(
                "ca.exists", "There is an authority in \(path) already.",
                reason: "Making another in its place would lose what it has issued and revoked.",
                advice: "Use it, or name another folder.")
        case .cannotOpen(let path):
            ErrorExplanation(
                "ca.cannot-open", "The authority's state \(path) cannot be opened for writing.",
                reason: "The file or its folder is another user's, or the disk is read-only.",
                advice: "Check their owners and permissions.")
        case .newerFormat:
            ErrorExplanation(
                "ca.newer-format", "A newer version of this software wrote the authority's state.",
                reason: "This version does not know its format, and would damage it.",
                advice: "Install the newer version.")
        case .damaged:
            ErrorExplanation(
                "ca.damaged", "The authority's state cannot be read.",
                reason: "The file is not the state of an authority, or was damaged.",
                advice: "Restore it from a backup.")
        case .diskFull:
            ErrorExplanation(
                "ca.disk-full", "The disk is full.", reason: "Nothing was issued or changed.",
                advice: "Free disk space, and try again.")
        case .busy:
            ErrorExplanation(
                "ca.busy", "The authority's state is locked.",
                reason: "Another process has been writing it for half a minute.", advice: "Try again later.")
        case .refusedByDatabase:
            ErrorExplanation(
                "ca.refused-by-database", "The database refused the change.",
                reason: "It violates a constraint of the database, such as the uniqueness of serial numbers.",
                advice: "Try again; if it happens again, check the state.")
        case .noDatabase(let reason):
            ErrorExplanation(
                "ca.no-database", "The authority's database cannot be reached: \(reason)",
                reason: "Its server does not run, has another address, or refuses this user.",
                advice: "Try the same address with psql.")
        case .readOnly:
            ErrorExplanation(
                "ca.read-only", "The authority's database cannot be written.",
                reason: "The server is a replica, or was set to be read only.",
                advice: "Use the address of the primary server.")
        case .databaseFailed(let reason):
            ErrorExplanation(
                "ca.database-failed", "The authority's database failed: \(reason)",
                reason: "The server failed, or the tables are not those of this version.",
                advice: "Check the server's log.")
        case .withoutPostgreSQL:
            ErrorExplanation(
                "ca.without-postgresql", "This build has no PostgreSQL.",
                reason: "It was built without the package trait PostgreSQL.",
                advice: "Build it with the traits default and PostgreSQL, which needs libpq's development files.")
        case .noCertificate(let serial):
            ErrorExplanation(
                "ca.no-certificate", "The authority issued no certificate with the serial number \(serial).",
                reason: "It is mistyped, or another authority's.", advice: "List what was issued.")
        case .changedRecord(let serial):
            ErrorExplanation(
                "ca.changed-record", "The record of the certificate \(serial) does not match the log.",
                reason: "Another program changed it. Its files, its hook and its names are not used.",
                advice: "Audit the authority, and restore a backup.")
        }
    }

    package static var examples: [AuthorityStoreError] {
        let path = "/srv/ca"
        return [
            .notFound(path: path), .exists(path: path), .cannotOpen(path: path), .newerFormat, .damaged, .diskFull,
            .busy, .refusedByDatabase, .noDatabase("connection refused."), .readOnly,
            .databaseFailed("permission denied for table log."), .withoutPostgreSQL, .noCertificate("0a1b2c"),
            .changedRecord("0a1b2c"),
        ]
    }
}

extension AuthorityStoreError: PrivateFileFailure {
    static func refused(_ path: String, code: Int32) -> Self { .cannotOpen(path: path) }
}
