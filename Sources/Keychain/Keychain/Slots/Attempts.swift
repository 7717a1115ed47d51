// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import GRDB

/// The wrong guesses of a slot since the last right one.
struct Attempts {
    let failures: Int
    /// The time of the last one, in seconds since 1970.
    let last: Int64

    init(_ database: Database, _ slot: Int64) throws {
        let row = try Row.fetchOne(
            database, sql: "SELECT failures, last FROM attempt WHERE slot = ?", arguments: [slot])
        failures = Int(clamping: Int64.fromDatabaseValue(row?["failures"] ?? .null) ?? 0)
        last = Int64.fromDatabaseValue(row?["last"] ?? .null) ?? 0
    }

    static func count(_ database: Database, _ slot: Int64, failures: Int, at time: Int64) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO attempt VALUES (?, ?, ?)", arguments: [slot, failures, time])
    }

    static func forget(_ database: Database, _ slot: Int64) throws {
        try database.execute(sql: "DELETE FROM attempt WHERE slot = ?", arguments: [slot])
    }
}
