// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The SQLite function that Swift cannot call, because it is variadic.

#ifndef COUNTERSIGN_CSQLITEOPTIONS_H
#define COUNTERSIGN_CSQLITEOPTIONS_H

#include <sqlite3.h>

/// Keeps the write-ahead log when the last connection closes, so that the next program continues with it.
///
/// Otherwise each program would copy the log into the database, with two additional waits for the disk.
static inline int database_keep_log(void *database) {
    return sqlite3_db_config((sqlite3 *)database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

#endif
