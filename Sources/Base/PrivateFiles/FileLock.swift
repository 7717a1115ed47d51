// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import POSIX

/// A lock on a file, held until the object is released; the system
/// releases it at the latest when the process ends for any reason.
package final class FileLock: Sendable {
    private let descriptor: Int32

    fileprivate init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}

extension PrivateFile {
    /// Acquires a lock on an existing file without waiting.
    ///
    /// - Returns: The lock; `nil` if another process or another lock of this process holds it.
    package static func lock(_ path: String) throws(Failure) -> FileLock? {
        try lock(path, path, O_RDWR, LOCK_EX | LOCK_NB)
    }

    /// Acquires a lock on a new file, which is renamed only after
    /// it is locked, so that no other process can acquire it first.
    package static func newLock(_ path: String) throws(Failure) -> FileLock {
        let draft = draft(of: path)
        guard let lock = try lock(draft, path, O_RDWR | O_CREAT | O_EXCL, LOCK_EX | LOCK_NB),
            rename(draft, path) == 0
        else {
            let code = errno
            unlink(draft)
            throw .refused(path, code: code)
        }
        return lock
    }

    /// Acquires a lock for another file without waiting, on a file
    /// with the suffix `.lock`, which is created if it is missing.
    ///
    /// - Returns: The lock; `nil` if another process or another lock of this process holds it.
    package static func lock(beside path: String) throws(Failure) -> FileLock? {
        try lock(path + ".lock", path, O_RDWR | O_CREAT, LOCK_EX | LOCK_NB)
    }

    /// Runs a closure while holding the lock for a path, which excludes other processes and threads.
    package static func locked(_ path: String, _ body: () throws(Failure) -> Void) throws(Failure) {
        try createFolder(of: path)
        let lock = try lock(path + ".lock", path, O_RDWR | O_CREAT, LOCK_EX)
        try body()
        withExtendedLifetime(lock) {}
    }

    /// - Returns: The lock; `nil` if it is held elsewhere and the operation does not wait.
    private static func lock(
        _ file: String, _ path: String, _ flags: Int32, _ operation: Int32
    ) throws(Failure) -> FileLock? {
        let descriptor = open(file, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .refused(path, code: errno) }
        let lock = FileLock(descriptor: descriptor)
        while flock(descriptor, operation) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return nil
            default: throw .refused(path, code: errno)
            }
        }
        return lock
    }
}
