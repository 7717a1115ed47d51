// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import CTunnel
    import Glibc

    /// The privileges of this process.
    public enum Privileges {
        private static let networkAdministration: UInt64 = 1 << 12

        /// Drops every capability except `CAP_NET_ADMIN`, and prevents new ones through executed files
        /// (`no_new_privs`).
        ///
        /// Call it before creating other threads: Linux stores capabilities for each thread, and a new thread inherits
        /// those of its creator.
        ///
        /// - Parameter user: The user account to switch to; `nil`, the default, for no change.
        /// - Throws: ``TunnelError/system(_:_:)`` if the account does not exist or a system call fails,
        ///   ``TunnelError/notPermitted(_:)``.
        public static func drop(toUser user: String? = nil) throws(TunnelError) {
            var (uid, gid): (uid_t, gid_t) = (0, 0)
            if let user {
                guard let entry = getpwnam(user) else {
                    throw .system("switch to the user \(user)", "it does not exist")
                }
                (uid, gid) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
            }
            guard tunnel_drop_privileges(uid, gid, networkAdministration) == 0 else {
                throw .lastSystemCall("give up privileges")
            }
        }
    }
#endif
