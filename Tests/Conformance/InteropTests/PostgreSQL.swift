// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation

/// The distribution's PostgreSQL.
enum PostgreSQL {
    /// The folder of its server programs, which are not on the PATH.
    static let programs: String? = {
        let folder = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return versions.sorted().last.map { "\(folder)/\($0)/bin" }
    }()

    /// Starts a server in a script's folder, with a database for an authority; the script ends the server with `stop`.
    static let start = """
        # The database server does not run as root.
        as() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
        mkdir db && chmod 711 . && { [ "$(id -u)" != 0 ] || chown postgres db; } || exit 10
        as "$PROGRAMS/initdb" -D "$PWD/db" -A trust -U postgres --no-sync || exit 11
        start() { as "$PROGRAMS/pg_ctl" -D "$PWD/db" -o "-k $PWD/db -h ''" -l "$PWD/db/server.log" -w start; }
        stop() { as "$PROGRAMS/pg_ctl" -D "$PWD/db" -m immediate stop; }
        query() { "$PROGRAMS/psql" -h "$PWD/db" -U postgres ca -qtAc "$1"; }
        start || exit 12
        as "$PROGRAMS/createdb" -h "$PWD/db" -U postgres ca || { stop; exit 13; }
        database="postgresql:///ca?host=$PWD/db&user=postgres"

        """
}
