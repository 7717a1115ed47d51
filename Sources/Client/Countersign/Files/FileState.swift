// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import POSIX

/// The state of a file at one moment, as `stat` reports it.
package struct FileState: Hashable, Sendable {
    /// The length in bytes.
    package let length: Int
    /// The modification time in seconds and nanoseconds, which reveals a change that keeps the length.
    let modification: [Int]
    let inode: UInt64
    let device: UInt64
    /// The user ID and the group ID of the file.
    package let owner, group: UInt32
    /// The number of hard links.
    let linkCount: Int
    private let mode: UInt32

    package var isRegular: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFREG) }
    package var isLink: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFLNK) }
    package var isPipe: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFIFO) }
    package var isFolder: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFDIR) }
    /// The permission bits: the lowest nine bits of the mode.
    package var permissions: UInt32 { mode & 0o777 }
    /// Whether users other than its owner may write the file.
    package var isWritableByOthers: Bool { mode & 0o022 != 0 }
    /// Whether the file is a folder in which other users may create files: any user, or its group if it is sticky.
    var isSharedFolder: Bool {
        isFolder && (mode & 0o002 != 0 || mode & UInt32(S_ISVTX) != 0 && isWritableByOthers)
    }
    /// Whether the owner is this process's user, or the superuser, who can change everything anyway.
    package var isTrustworthy: Bool { owner == UInt32(geteuid()) || owner == 0 }
    /// Whether the file is regular, belongs to this process's user, has no other name, and no other user can change it.
    var isPrivateFile: Bool { exposure(to: 0o022) == nil }

    /// Reads the state of the file at a path.
    ///
    /// Symbolic links are followed. `nil` if the file does not exist or cannot be accessed; `errno` holds the reason.
    package init?(path: String) {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        self.init(information)
    }

    /// Reads the state of the file at a path, or of a symbolic link itself; `nil` with `errno` on failure.
    package init?(linkAt path: String) {
        var information = stat()
        guard lstat(path, &information) == 0 else { return nil }
        self.init(information)
    }

    /// Reads the state of an open file; `nil` with `errno` on failure.
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

    /// Returns whether both are the same file, whatever its names.
    package func isSame(as other: Self) -> Bool { inode == other.inode && device == other.device }
}
