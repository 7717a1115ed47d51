// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import POSIX

/// What a file was when it was looked at.
package struct FileState: Hashable, Sendable {
    /// In bytes.
    package let length: Int
    /// In seconds and nanoseconds, so that a change shows that keeps the length.
    let modification: [Int]
    let inode: UInt64
    let device: UInt64
    /// The user and the group that it belongs to.
    package let owner, group: UInt32
    /// How many names it has.
    let linkCount: Int
    private let mode: UInt32

    package var isRegular: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFREG) }
    package var isLink: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFLNK) }
    package var isPipe: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFIFO) }
    package var isFolder: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFDIR) }
    /// Who may do what with it: the lowest nine bits.
    package var permissions: UInt32 { mode & 0o777 }
    /// Whether users other than its owner may write it.
    package var isWritableByOthers: Bool { mode & 0o022 != 0 }
    /// Whether it is a folder such as `/tmp`: any user may make files there, or its group may and it is sticky.
    var isSharedFolder: Bool {
        isFolder && (mode & 0o002 != 0 || mode & UInt32(S_ISVTX) != 0 && isWritableByOthers)
    }
    /// Whether this process's user made it, or the superuser, who can change everything anyway.
    package var isTrustworthy: Bool { owner == UInt32(geteuid()) || owner == 0 }
    /// Whether it is a file that this process's user made, and that no other user can change or knows by another name.
    var isPrivateFile: Bool {
        isRegular && owner == UInt32(geteuid()) && !isWritableByOthers && linkCount == 1
    }

    /// Looks where a path leads.
    ///
    /// Links are followed; `nil` where nothing is, or nothing that may be looked at, see `errno`.
    package init?(path: String) {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        self.init(information)
    }

    /// Looks at what has this name, at a link itself too; `nil` where nothing has, see `errno`.
    package init?(linkAt path: String) {
        var information = stat()
        guard lstat(path, &information) == 0 else { return nil }
        self.init(information)
    }

    /// Looks at what is open; `nil` where it is not, see `errno`.
    package init?(descriptor: Int32) {
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { return nil }
        self.init(information)
    }

    private init(_ information: stat) {
        #if canImport(Darwin)
            let time = information.st_mtimespec
        #else
            let time = information.st_mtim
        #endif
        length = Int(information.st_size)
        modification = [Int(time.tv_sec), Int(time.tv_nsec)]
        inode = UInt64(information.st_ino)
        device = UInt64(truncatingIfNeeded: information.st_dev)
        (owner, group) = (UInt32(information.st_uid), UInt32(information.st_gid))
        linkCount = Int(information.st_nlink)
        mode = UInt32(information.st_mode)
    }

    /// Whether it is the same file under any name.
    package func isSame(as other: Self) -> Bool { inode == other.inode && device == other.device }
}
