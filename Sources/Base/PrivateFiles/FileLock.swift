// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import POSIX

/// A lock on a file, held until it is released; the system releases it when the process ends, however that happens.
package final class FileLock: Sendable {
    private let descriptor: Int32

    fileprivate init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}

extension PrivateFile {
    /// Takes the lock of a file that is there.
    ///
    /// - Returns: The lock; `nil` if another process or another part of this one holds it.
    package static func lock(_ path: String) throws(Failure) -> FileLock? {
        try lock(path, path, O_RDWR, LOCK_EX | LOCK_NB)
    }

    /// Takes a lock of a new file, which gets its name only when the lock is held, so that no other process can take it.
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

    /// Takes the lock that stands for another file: that of a file beside it, with the ending `.lock`, which is created if it is missing.
    ///
    /// - Returns: The lock; `nil` if another process holds it.
    package static func lock(beside path: String) throws(Failure) -> FileLock? {
        try lock(path + ".lock", path, O_RDWR | O_CREAT, LOCK_EX | LOCK_NB)
    }

    /// Runs a closure while no other process or thread is in one for the same path.
    package static func locked(_ path: String, _ body: () throws(Failure) -> Void) throws(Failure) {
        try createFolder(of: path)
        let lock = try lock(path + ".lock", path, O_RDWR | O_CREAT, LOCK_EX)
        try body()
        withExtendedLifetime(lock) {}
    }

    /// - Returns: The lock; `nil` if another one holds it and the operation does not wait.
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
