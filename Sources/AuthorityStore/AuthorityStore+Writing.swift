// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension AuthorityStore {
    /// Writes what is there already, to find out whether the state can be written: a full disk does not show in reading.
    ///
    /// - Throws: ``AuthorityStoreError``.
    package func checkWriting() async throws {
        _ = try await database.write { connection in
            try connection.rows("UPDATE head SET list_number = list_number WHERE id = 1")
        }
    }
}
