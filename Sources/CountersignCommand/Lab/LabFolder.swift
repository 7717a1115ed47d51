// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Countersign

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The temporary folder of a lab, removed when the lab ends, because it holds a private key.
///
/// A lab that is killed cannot remove it. So each running lab holds a lock in its folder, and the next lab removes the folders whose lock
/// is free, and those without a lock that are older than a minute.
final class LabFolder {
    let path: String
    private var lock: Int32 = -1

    private static let prefix = "countersign-lab-"
    private static let lockName = ".lock"

    /// Makes a folder with a new name, for this user alone.
    init() throws(FileError) {
        Self.removeAbandoned()
        let name = Self.prefix + String(UInt64.random(in: .min ... .max), radix: 36)
        path = FileManager.default.temporaryDirectory.appending(path: name).path
        guard mkdir(path, 0o700) == 0 else { throw FileError(.create, path: path) }
        // The lock is held before it has its name, so that no other lab can take it.
        let draft = path + "/.draft"
        lock = open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0, rename(draft, path + "/" + Self.lockName) == 0 else {
            let error = FileError(.create, path: draft)
            remove()
            throw error
        }
    }

    deinit { remove() }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
        guard lock >= 0 else { return }
        close(lock)
        lock = -1
    }

    /// Removes the folders of this user's labs that were killed.
    private static func removeAbandoned() {
        let temporary = FileManager.default.temporaryDirectory.path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: temporary)) ?? []
        for path in names.filter({ $0.hasPrefix(prefix) }).map({ temporary + "/" + $0 }) where isOwnFolder(path) {
            let lock = open(path + "/" + lockName, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
            guard lock >= 0 else {
                // A folder without a lock is new, or its lab was killed while it made it.
                if isOld(path) { try? FileManager.default.removeItem(atPath: path) }
                continue
            }
            defer { close(lock) }
            if flock(lock, LOCK_EX | LOCK_NB) == 0 { try? FileManager.default.removeItem(atPath: path) }
        }
    }

    private static func isOld(_ path: String) -> Bool {
        let changed = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        return changed.map { $0.timeIntervalSinceNow < -60 } ?? false
    }

    private static func isOwnFolder(_ path: String) -> Bool {
        guard let state = FileState(linkAt: path) else { return false }
        return state.isFolder && state.owner == UInt32(geteuid()) && !state.isWritableByOthers
    }
}
