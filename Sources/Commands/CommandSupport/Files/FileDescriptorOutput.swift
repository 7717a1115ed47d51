// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Countersign

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Writes all bytes to a file descriptor.
package struct FileDescriptorOutput {
    package let descriptor: Int32
    /// For errors.
    package let path: String

    package static let standard = FileDescriptorOutput(descriptor: STDOUT_FILENO, path: "standard output")

    /// How long one wait lasts before it is looked whether the task was cancelled, in milliseconds.
    private static let timeout: Int32 = 100

    /// Opens a device or a pipe to be written; a pipe as soon as it is read.
    ///
    /// - Throws: ``FileError``, with `ECANCELED` where the task is cancelled first.
    package static func open(_ path: String) throws(FileError) -> Int32 {
        while true {
            // Without O_NONBLOCK, opening a pipe that is not read would hold up the thread for ever.
            let descriptor = systemOpen(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
            if descriptor >= 0 { return descriptor }
            guard errno == EINTR || errno == ENXIO && FileState(path: path)?.isPipe == true else {
                throw FileError(.create, path: path)
            }
            guard !Task.isCancelled else { throw FileError(.create, path: path, code: ECANCELED) }
            poll(nil, 0, timeout)
        }
    }

    /// Writes all bytes; waits for a reader that is slow until the task is cancelled.
    ///
    /// - Throws: ``FileError``, with `ECANCELED` where the task is cancelled first.
    package func write(_ bytes: ArraySlice<UInt8>) throws(FileError) {
        var rest = bytes
        let isRegular = FileState(descriptor: descriptor)?.isRegular ?? false
        while !rest.isEmpty {
            if !isRegular { try waitForRoom() }
            // Of a pipe that has room, this much is written at once, also where the caller left it blocking.
            let part = isRegular ? rest : rest.prefix(Int(PIPE_BUF))
            let count = part.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR, errno != EAGAIN {
                throw FileError(.write, path: path)
            }
        }
    }

    private func waitForRoom() throws(FileError) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while poll(&entry, 1, Self.timeout) == 0 {
            guard !Task.isCancelled else { throw FileError(.write, path: path, code: ECANCELED) }
        }
    }
}

private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
