// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Countersign
import EssentialFoundation
import NIOConcurrencyHelpers
import POSIX
import PrivateFiles

/// A temporary folder only for this user, which is removed when its program ends.
///
/// A program that is killed cannot remove its folder. Therefore each running program holds a lock in its folder, and
/// the next program removes the folders whose lock is free, and those without a lock that are older than a minute.
package final class PrivateFolder: Sendable {
    package let path: String
    private let lock: NIOLockedValueBox<FileLock?>

    private static let lockName = "/.lock"

    /// Creates a folder with a unique name.
    ///
    /// - Parameter prefix: The prefix of the names of the program's folders.
    /// - Throws: `FileError`.
    package init(prefix: String) throws(FileError) {
        Self.removeAbandoned(prefix)
        let name = prefix + String(UInt64.random(in: .min ... .max), radix: 36)
        path = FileManager.default.temporaryDirectory.appending(path: name).path
        guard mkdir(path, 0o700) == 0 else { throw FileError(.create, path: path) }
        do throws(FileError) {
            lock = NIOLockedValueBox(try PrivateFile<FileError>.newLock(path + Self.lockName))
        } catch {
            try? FileManager.default.removeItem(atPath: path)
            throw error
        }
    }

    deinit { remove() }

    package func remove() {
        try? FileManager.default.removeItem(atPath: path)
        lock.withLockedValue { $0 = nil }
    }

    /// Removes the folders of this user's programs that were killed.
    private static func removeAbandoned(_ prefix: String) {
        let temporary = FileManager.default.temporaryDirectory.path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: temporary)) ?? []
        for path in names.filter({ $0.hasPrefix(prefix) }).map({ temporary + "/" + $0 }) where isOwnFolder(path) {
            do throws(FileError) {
                guard let lock = try PrivateFile<FileError>.lock(path + lockName) else { continue }
                withExtendedLifetime(lock) { try? FileManager.default.removeItem(atPath: path) }
            } catch {
                // A folder without a lock is new, or its program was killed while creating it.
                if isOld(path) { try? FileManager.default.removeItem(atPath: path) }
            }
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
