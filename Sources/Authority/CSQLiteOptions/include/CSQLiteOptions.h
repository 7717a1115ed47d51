// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// What Swift cannot call of SQLite, because its parameters vary.

#ifndef COUNTERSIGN_CSQLITEOPTIONS_H
#define COUNTERSIGN_CSQLITEOPTIONS_H

#include <sqlite3.h>

/// Leaves the log beside the database when the last connection closes, so that the next program goes on with it.
///
/// Else each program would copy the log into the database, and wait for the disk twice more.
static inline int database_keep_log(void *database) {
    return sqlite3_db_config((sqlite3 *)database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

#endif
