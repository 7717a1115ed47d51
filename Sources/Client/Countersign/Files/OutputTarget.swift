// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import POSIX

/// Where a file is to appear, and what is there now.
///
/// In a folder that others can write, a name may lead to what another user put there. A link is followed only where this process's
/// user or the superuser made it, as Linux does in `/tmp` (`fs.protected_symlinks`); another one is replaced, never written through.
package struct OutputTarget: Sendable {
    package let path: String
    /// `nil` where nothing is there, or a link that is to be replaced.
    package let state: FileState?

    private static let linkLimit = 40

    /// Looks at a path.
    package init(_ path: String) {
        guard !Self.leadsThroughForeignLink(path), let state = FileState(path: path) else {
            (self.path, state) = (path, nil)
            return
        }
        self.state = state
        self.path = state.isRegular ? Self.resolved(path) : path
    }

    /// The error code of writing here, such as `EACCES`; `nil` where it may be written.
    package var refusal: Int32? {
        guard let state else { return nil }
        // Another user who makes a file or a pipe in /tmp beforehand would get the content. Linux refuses to open them too
        // (fs.protected_regular, fs.protected_fifos).
        if !state.isTrustworthy, FileState(path: Self.folder(of: Self.resolved(path)))?.isSharedFolder == true {
            return EACCES
        }
        guard state.isRegular, state.owner != UInt32(geteuid()) else { return nil }
        // The rights of the folder alone would permit to replace a file that this user may not write.
        return access(path, W_OK) != 0 ? errno : nil
    }

    /// Gives the file that is to take this place the owner, the group and the rights of the file that is here.
    ///
    /// Rights only become fewer: no bit for set-user-ID, no group right for another group, and no more than a new file has where the
    /// owner is another one. A file that only its owner may read stays this user's, so that no other user gets what is in it.
    ///
    /// - Parameters:
    ///   - descriptor: The new file.
    ///   - newRights: What a new file would have here.
    ///   - limit: The most that it may have; without rights for group and others, the owner does not change.
    /// - Returns: Whether the owner is the former one.
    package func keepRights(on descriptor: Int32, newRights: UInt32, limit: UInt32 = 0o777) -> Bool {
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
        if !keepsOwner { rights &= newRights }
        if !keepsGroup { rights &= 0o707 | (rights & 0o007) << 3 }
        fchmod(descriptor, mode_t(rights))
        return keepsOwner
    }

    /// Follows every link; a pipe without a name, to which `/dev/stdout` may lead, has no other path.
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
