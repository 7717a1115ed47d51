// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import POSIX

/// The destination of an output file, and the state of the file that exists there.
///
/// In a folder that others can write, a name may refer to another user's file. A symbolic link is followed only if it
/// belongs to this process's user or the superuser, as Linux does in `/tmp` (`fs.protected_symlinks`); any other link
/// is replaced, never written through.
package struct OutputTarget: Sendable {
    package let path: String
    /// The state of the existing file; `nil` if there is none, or only a link to be replaced.
    package let state: FileState?

    private static let linkLimit = 40

    /// Examines a path.
    package init(_ path: String) {
        guard !Self.leadsThroughForeignLink(path), let state = FileState(path: path) else {
            (self.path, state) = (path, nil)
            return
        }
        self.state = state
        self.path = state.isRegular ? Self.resolved(path) : path
    }

    /// The error code with which writing is refused, such as `EACCES`; `nil` if writing is allowed.
    package var refusal: Int32? {
        guard let state else { return nil }
        // A user who creates a file or a pipe in /tmp beforehand would receive the content. Linux refuses to open them
        // too (fs.protected_regular, fs.protected_fifos).
        if !state.isTrustworthy, FileState(path: Self.folder(of: Self.resolved(path)))?.isSharedFolder == true {
            return EACCES
        }
        guard state.isRegular, state.owner != UInt32(geteuid()) else { return nil }
        // The folder's permissions alone would allow replacing a file that this user may not write.
        return access(path, W_OK) != 0 ? errno : nil
    }

    /// Applies the owner, the group and the permissions of the existing file to the file that replaces it.
    ///
    /// Permissions are only reduced: no set-user-ID bit, no group permissions for another group, and at most those of a
    /// new file if the owner differs. A file that only its owner may read keeps this user as its owner, so that no
    /// other user receives its content.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor of the new file.
    ///   - newPermissions: The permissions that a new file would have here.
    ///   - limit: The maximum permissions; if they exclude group and others, the owner does not change.
    /// - Returns: Whether the new file has the former owner.
    package func applyPermissions(on descriptor: Int32, newPermissions: UInt32, limit: UInt32 = 0o777) -> Bool {
        guard let state, state.isRegular, let new = FileState(descriptor: descriptor) else { return true }
        var (keepsOwner, keepsGroup) = (new.owner == state.owner, new.group == state.group)
        if limit & 0o077 != 0, !keepsOwner || !keepsGroup {
            if fchown(descriptor, state.owner, state.group) == 0 {
                (keepsOwner, keepsGroup) = (true, true)
            } else if !keepsGroup {
                keepsGroup = fchown(descriptor, .max, state.group) == 0
            }
        }
        var rights = state.permissions & limit
        if !keepsOwner { rights &= newPermissions }
        if !keepsGroup { rights &= 0o707 | (rights & 0o007) << 3 }
        fchmod(descriptor, mode_t(rights))
        return keepsOwner
    }

    /// Returns the path with all links resolved.
    ///
    /// An unnamed pipe, to which `/dev/stdout` may lead, has no other path.
    private static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func leadsThroughForeignLink(_ path: String) -> Bool {
        var path = path
        for _ in 0..<linkLimit {
            guard let link = FileState(linkAt: path), link.isLink else { return false }
            guard link.isTrustworthy, let target = destination(of: path) else { return true }
            path = target.hasPrefix("/") ? target : folder(of: path) + "/" + target
        }
        return true
    }

    private static func destination(of link: String) -> String? {
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            buffer.withMemoryRebound(to: CChar.self) { characters in
                guard let start = characters.baseAddress else { return }
                count = max(0, readlink(link, start, characters.count))
            }
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
