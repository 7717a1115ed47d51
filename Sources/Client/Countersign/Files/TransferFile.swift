// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
package import NIOCore
import NIOPosix
import POSIX

/// A file that is read and written at offsets, on a thread pool instead of the event loops.
///
/// It is closed when its last reference is released.
package final class TransferFile: Sendable {
    package let path: String
    private let descriptor: Int32

    private init(path: String, descriptor: Int32) {
        (self.path, self.descriptor) = (path, descriptor)
    }

    deinit { close(descriptor) }

    /// Opens a file for reading.
    static func reading(_ path: String) async throws -> TransferFile {
        try await opening(path, O_RDONLY, .read)
    }

    /// Creates a new file for reading and writing.
    ///
    /// - Throws: ``SessionError`` of ``FileError/failed(path:_:code:)``, with `EEXIST` if a file or a link of this name
    ///   exists.
    static func creating(_ path: String, mode: mode_t) async throws -> TransferFile {
        try await opening(path, O_RDWR | O_CREAT | O_EXCL, .create, mode: mode)
    }

    /// Opens a file without blocking; otherwise, a pipe without a writer would block a thread.
    static func opening(
        _ path: String, _ flags: Int32, _ operation: FileError.Operation, mode: mode_t = 0
    ) async throws -> TransferFile {
        try await runBlocking {
            let descriptor = open(path, flags | O_CLOEXEC | O_NONBLOCK, mode)
            guard descriptor >= 0 else { throw SessionError.file(.failed(path: path, operation, code: errno)) }
            return TransferFile(path: path, descriptor: descriptor)
        }
    }

    /// Applies the owner, the group and the permissions of the file that this one replaces.
    ///
    /// - Returns: Whether the file has the former owner.
    func applyPermissions(of target: OutputTarget, newPermissions: UInt32) -> Bool {
        target.applyPermissions(on: descriptor, newPermissions: newPermissions)
    }

    /// Locks the file against other writers, in this process and in others, until it is closed.
    func lock() throws(SessionError) {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw failure(.lock) }
    }

    /// Unlocks the file before its last reference is released.
    func unlock() { flock(descriptor, LOCK_UN) }

    static func state(of path: String) throws(SessionError) -> FileState {
        guard let state = FileState(path: path) else { throw .file(.failed(path: path, .read, code: errno)) }
        return state
    }

    func state() throws(SessionError) -> FileState {
        guard let state = FileState(descriptor: descriptor) else { throw failure(.read) }
        return state
    }

    /// Reads bytes at an offset.
    ///
    /// - Returns: The bytes; fewer than `count` only at the end of the file.
    package func read(at offset: Int, count: Int) async throws -> ByteBuffer {
        try await Self.runBlocking { [self] in
            var buffer = ByteBuffer()
            while buffer.readableBytes < count {
                let position = offset + buffer.readableBytes
                let (status, reason) = buffer.writeSystemCall(atMost: count - buffer.readableBytes) { target in
                    pread(descriptor, target.baseAddress, target.count, off_t(position))
                }
                if status < 0, reason == EINTR { continue }
                guard status >= 0 else { throw SessionError.file(.failed(path: path, .read, code: reason)) }
                if status == 0 { break }
            }
            return buffer
        }
    }

    /// Reads the next bytes of a file without offsets, such as a pipe.
    ///
    /// - Returns: At least one byte, or none at the end.
    func readNext(atMost count: Int) async throws -> ByteBuffer {
        while true {
            let part = try await Self.runBlocking { [self] () throws -> ByteBuffer? in
                // The thread pool is small, and an endless wait could not be cancelled.
                var interest = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&interest, 1, Self.timeout) > 0 else { return nil }
                var buffer = ByteBuffer()
                let (status, reason) = buffer.writeSystemCall(atMost: count) { target in
                    Self.systemRead(descriptor, target)
                }
                if status < 0, [EINTR, EAGAIN].contains(reason) { return nil }
                guard status >= 0 else { throw SessionError.file(.failed(path: path, .read, code: reason)) }
                return buffer
            }
            if let part { return part }
            try Task.checkCancellation()
        }
    }

    /// The polling timeout, in milliseconds.
    private static let timeout: Int32 = 100

    package func write(_ bytes: ByteBuffer, at offset: Int) async throws {
        try await Self.runBlocking { [self] in
            var (bytes, offset) = (bytes, offset)
            while bytes.readableBytes > 0 {
                let count = bytes.withUnsafeReadableBytes {
                    pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset))
                }
                guard count > 0 else {
                    if errno == EINTR { continue }
                    throw failure(.write)
                }
                bytes.moveReaderIndex(forwardBy: count)
                offset += count
            }
        }
    }

    /// Writes bytes at an offset, and only compares those before `end`.
    ///
    /// - Returns: The offset of the first byte that differs, in which case nothing is written; `nil` if none differs.
    func write(_ bytes: ByteBuffer, at offset: Int, comparingUpTo end: Int) async throws -> Int? {
        var new = bytes
        if let other = new.readSlice(length: min(new.readableBytes, max(0, end - offset))) {
            let own = try await read(at: offset, count: other.readableBytes)
            guard own == other else {
                return offset + zip(own.readableBytesView, other.readableBytesView).prefix { $0 == $1 }.count
            }
        }
        try await write(new, at: offset + bytes.readableBytes - new.readableBytes)
        return nil
    }

    func truncate(to length: Int) throws(SessionError) {
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw failure(.write) }
    }

    /// Waits until the bytes are on the disk.
    func synchronize() async throws {
        try await Self.runBlocking { [self] in
            guard fsync(descriptor) == 0 else { throw failure(.write) }
        }
    }

    private func failure(_ operation: FileError.Operation) -> SessionError {
        .file(.failed(path: path, operation, code: errno))
    }

    private static func systemRead(_ descriptor: Int32, _ target: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Darwin)
            Darwin.read(descriptor, target.baseAddress, target.count)
        #elseif canImport(Musl)
            Musl.read(descriptor, target.baseAddress, target.count)
        #else
            Glibc.read(descriptor, target.baseAddress, target.count)
        #endif
    }

    /// Runs a blocking operation on a thread pool instead of the event loops.
    static func runBlocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await NIOThreadPool.singleton.runIfActive(body)
    }
}

extension ByteBuffer {
    /// Writes the bytes from a system call into the buffer.
    ///
    /// - Returns: The call's return value, and its `errno`.
    fileprivate mutating func writeSystemCall(
        atMost count: Int, _ call: (UnsafeMutableRawBufferPointer) -> Int
    ) -> (status: Int, reason: Int32) {
        var (status, reason) = (0, Int32(0))
        writeWithUnsafeMutableBytes(minimumWritableBytes: count) { target in
            status = call(UnsafeMutableRawBufferPointer(rebasing: target.prefix(count)))
            reason = errno
            return max(0, status)
        }
        return (status, reason)
    }
}

extension TransferFile {
    /// Creates an unnamed file in the folder for temporary files.
    ///
    /// Only this process can open it, and the system removes it with its last reference, even if the process crashes.
    ///
    /// - Throws: ``SessionError`` of ``FileError/failed(path:_:code:)``.
    package static func temporary() async throws -> TransferFile {
        let words = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }
        let path = FileManager.default.temporaryDirectory.appending(path: "countersign-\(words.joined())").path
        let file = try await creating(path, mode: 0o600)
        unlink(path)
        return file
    }
}
