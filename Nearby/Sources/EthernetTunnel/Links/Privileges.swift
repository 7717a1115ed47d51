// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import CTunnel
    import Glibc

    /// What this process may do to the system.
    public enum Privileges {
        private static let networkAdministration: UInt64 = 1 << 12

        /// Gives up every capability but `CAP_NET_ADMIN`, and the gaining of new ones by executing files (`no_new_privs`).
        ///
        /// Call it before other threads are made: Linux keeps capabilities for each thread, and a new one has those of its maker.
        ///
        /// - Parameter user: The name of an account to become; `nil` stays who it is.
        /// - Throws: ``TunnelError``.
        public static func drop(toUser user: String? = nil) throws(TunnelError) {
            var (uid, gid): (uid_t, gid_t) = (0, 0)
            if let user {
                guard let entry = getpwnam(user) else { throw .system("become the user \(user)", "there is none") }
                (uid, gid) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
            }
            guard tunnel_drop_privileges(uid, gid, networkAdministration) == 0 else {
                throw .lastSystemCall("give up privileges")
            }
        }
    }
#endif
