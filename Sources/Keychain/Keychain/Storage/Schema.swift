// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import GRDB

/// The tables of a keychain's file, by the versions of the format.
enum Schema {
    /// The version that this software writes.
    static let version: Int64 = 1

    /// Makes the tables where there are none, and brings those of an older version up to this one.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE header (
                        id INTEGER PRIMARY KEY CHECK (id = 1), format INTEGER NOT NULL, store BLOB NOT NULL,
                        epoch INTEGER NOT NULL, next_item INTEGER NOT NULL, index_bits INTEGER NOT NULL,
                        index_count INTEGER NOT NULL, item_groups BLOB NOT NULL, index_groups BLOB NOT NULL,
                        mac BLOB NOT NULL);
                    CREATE TABLE slot (
                        id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, parameters BLOB NOT NULL, wrapped BLOB NOT NULL);
                    CREATE TABLE attempt (
                        slot INTEGER PRIMARY KEY, failures INTEGER NOT NULL, last INTEGER NOT NULL);
                    CREATE TABLE item (
                        id INTEGER PRIMARY KEY, class INTEGER NOT NULL, accessibility INTEGER NOT NULL,
                        version INTEGER NOT NULL, attributes BLOB NOT NULL, secret BLOB NOT NULL);
                    CREATE TABLE chunk (
                        item INTEGER NOT NULL, number INTEGER NOT NULL, sealed BLOB NOT NULL,
                        PRIMARY KEY (item, number));
                    CREATE TABLE entry (
                        token INTEGER NOT NULL, item INTEGER NOT NULL, PRIMARY KEY (token, item)) WITHOUT ROWID;
                    CREATE TABLE manifest (
                        tree INTEGER NOT NULL, number INTEGER NOT NULL, macs BLOB NOT NULL,
                        PRIMARY KEY (tree, number));
                    """)
        }
        return migrator
    }
}
