// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import CTunnel
    import Glibc

    /// The privileges of this process.
    public enum Privileges {
        private static let networkAdministration: UInt64 = 1 << 12

        /// Gives up every capability but `CAP_NET_ADMIN`, and the gaining of new ones by executing files (`no_new_privs`).
        ///
        /// Call it before other threads are made: Linux keeps capabilities for each thread, and a new one has those of its maker.
        ///
        /// - Parameter user: The name of the account to which the process changes; `nil`, the default, keeps the account.
        /// - Throws: ``TunnelError/system(_:_:)`` if there is no such account or a system call fails, ``TunnelError/notPermitted(_:)``.
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
