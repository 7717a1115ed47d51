// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Countersign
package import ErrorExplanations
import POSIX

/// A file that gets its name only when it is complete.
package final class OutputFile {
    private enum Stage {
        /// The file has no name yet, so that it disappears if the process ends in any way.
        case nameless
        /// The file has a temporary name, for systems without nameless files.
        case temporary(String)
        /// A device or a pipe, such as `/dev/null`, which is written directly and must never be replaced.
        case device
    }

    /// The state of a file's bytes when the file gets its name.
    package enum Durability: Sendable {
        /// The bytes are on the disk, so that the file survives a loss of power.
        case flushed
        /// The system writes the bytes to the disk later. After a loss of power the file may be empty.
        case unflushed
    }

    private let target: OutputTarget
    private let stage: Stage
    private let durability: Durability
    /// Whether a file of the same name may be replaced.
    private let replaces: Bool
    private var descriptor: Int32
    /// The permissions of a new file, after the process's umask.
    private let newPermissions: UInt32
    /// The maximum permissions of the file.
    private let limit: UInt32

    private var path: String { target.path }

    /// Opens a temporary file in the folder of the final one, or the device or pipe that has the name.
    ///
    /// A link is followed, not replaced, unless another user made it. Opening a pipe waits for its reader.
    ///
    /// - Parameters:
    ///   - path: The final path.
    ///   - newMode: The permissions of a new file, before the process's umask; a replaced file keeps its permissions.
    ///   - replaces: Whether an existing file is replaced; otherwise it is an error, and the file stays.
    ///   - durability: Whether committing waits for the disk.
    /// - Throws: ``FileError``.
    package init(
        path: String, newMode: UInt32 = 0o666, replaces: Bool = true, durability: Durability = .flushed
    ) throws(FileError) {
        (self.replaces, self.durability) = (replaces, durability)
        target = OutputTarget(path)
        // A file only for its owner stays private even if it replaces a file that others can read.
        limit = newMode & 0o077 == 0 ? newMode : 0o777
        if let code = target.refusal { throw FileError(.create, path: path, code: code) }
        guard target.state?.isRegular ?? true else {
            (stage, newPermissions) = (.device, 0)
            descriptor = try Self.openDevice(target)
            return
        }
        (descriptor, stage) = Self.openTemporary(for: target.path, mode_t(newMode))
        guard descriptor >= 0 else { throw FileError(.create, path: path) }
        newPermissions = FileState(descriptor: descriptor)?.permissions ?? 0
        // The file stays private until it has the permissions of the file that it replaces.
        if target.state != nil { fchmod(descriptor, 0o600) }
    }

    /// Opens a device or a pipe.
    ///
    /// A pipe that is also standard output is not opened again, because opening it would block without a reader.
    private static func openDevice(_ target: OutputTarget) throws(FileError) -> Int32 {
        guard let state = target.state, state.isPipe, isStandardOutput(state) else {
            return try FileDescriptorOutput.open(target.path)
        }
        let descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw FileError(.create, path: target.path) }
        return descriptor
    }

    private static func isStandardOutput(_ state: FileState) -> Bool {
        FileState(descriptor: STDOUT_FILENO)?.isSame(as: state) ?? false
    }

    private static func openTemporary(for target: String, _ mode: mode_t) -> (descriptor: Int32, stage: Stage) {
        #if os(Linux)
            let folder = target.lastIndex(of: "/").map { String(target[...$0]) } ?? "."
            let descriptor = open(folder, O_WRONLY | namelessFile | O_CLOEXEC, mode)
            if descriptor >= 0, access(name(of: descriptor), F_OK) == 0 { return (descriptor, .nameless) }
            if descriptor >= 0 { close(descriptor) }
        #endif
        let temporary = temporaryPath(for: target)
        return (open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode), .temporary(temporary))
    }

    #if os(Linux)
        /// `O_TMPFILE`, which not every C library exposes to Swift.
        private static let namelessFile = Int32(0o20000000) | O_DIRECTORY
    #endif

    /// Returns the path through which a nameless file can be linked.
    private static func name(of descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    private static func temporaryPath(for target: String) -> String {
        target + ".part-" + String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// Writes a complete file.
    ///
    /// - Returns: Whether the file belongs to the owner of the file that it replaced.
    /// - Throws: ``FileError``, ``OutputClosed``.
    @discardableResult
    package static func write(
        _ bytes: [UInt8], to path: String, mode: UInt32 = 0o666, replaces: Bool = true
    ) throws -> Bool {
        let file = try OutputFile(path: path, newMode: mode, replaces: replaces)
        try file.write(bytes)
        return try file.commit()
    }

    /// Writes a complete file from a text, in UTF-8.
    @discardableResult
    package static func write(_ text: String, to path: String, mode: UInt32 = 0o666) throws -> Bool {
        try write(Array(text.utf8), to: path, mode: mode)
    }

    /// Whether the output is a device or a pipe, which receives all bytes immediately.
    package var isDevice: Bool { if case .device = stage { true } else { false } }

    /// - Throws: ``FileError``; ``OutputClosed`` if the file is also standard output, and its reader has closed it.
    package func write(_ bytes: [UInt8]) throws {
        do throws(FileError) {
            try FileDescriptorOutput(descriptor: descriptor, path: path).write(bytes[...])
        } catch {
            let isStandardOutput = FileState(descriptor: descriptor).map(Self.isStandardOutput) ?? false
            throw error.systemCode == EPIPE && isStandardOutput ? OutputClosed() : error
        }
    }

    /// Renames the file to its final name, after its bytes are on the disk if it is ``Durability/flushed``.
    ///
    /// - Returns: Whether the file belongs to the owner of the file that it replaced.
    @discardableResult
    package func commit() throws(FileError) -> Bool {
        if case .device = stage {
            discard()
            return true
        }
        let keepsOwner = target.applyPermissions(on: descriptor, newPermissions: newPermissions, limit: limit)
        guard durability == .unflushed || fsync(descriptor) == 0, let temporary = nameTemporarily() else {
            throw FileError(.write, path: path)
        }
        // Some file systems report a full disk only when the file is closed. After EINTR it is closed too.
        let isClosed = close(descriptor) == 0 || errno == EINTR
        descriptor = -1
        guard isClosed else {
            defer { unlink(temporary) }
            throw FileError(.write, path: path)
        }
        // Unlike renaming, a link never replaces a file.
        let isNamed = replaces ? rename(temporary, path) == 0 : link(temporary, path) == 0
        let code = errno
        if !isNamed || !replaces { unlink(temporary) }
        guard isNamed else { throw FileError(.create, path: path, code: code) }
        return keepsOwner
    }

    /// Links a nameless file to a temporary name, because a link cannot replace another file.
    private func nameTemporarily() -> String? {
        guard case .nameless = stage else { return temporaryPath }
        let temporary = Self.temporaryPath(for: path)
        let result = linkat(AT_FDCWD, Self.name(of: descriptor), AT_FDCWD, temporary, AT_SYMLINK_FOLLOW)
        return result == 0 ? temporary : nil
    }

    private var temporaryPath: String? {
        if case .temporary(let path) = stage { path } else { nil }
    }

    /// Removes the temporary file, if it was not committed.
    package func discard() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
        if let temporaryPath { unlink(temporaryPath) }
    }

    deinit { discard() }
}

/// Writes all bytes to a file descriptor.
package struct FileDescriptorOutput {
    package let descriptor: Int32
    /// The path, for errors.
    package let path: String

    package static let standard = FileDescriptorOutput(descriptor: STDOUT_FILENO, path: "standard output")

    /// The interval between checks for cancellation, in milliseconds.
    private static let timeout: Int32 = 100

    /// Opens a device or a pipe for writing; opening a pipe waits for its reader.
    ///
    /// - Throws: ``FileError``, with `ECANCELED` if the task is cancelled first.
    package static func open(_ path: String) throws(FileError) -> Int32 {
        while true {
            // Without O_NONBLOCK, opening a pipe without a reader would block the thread forever.
            let descriptor = systemOpen(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
            if descriptor >= 0 { return descriptor }
            guard errno == EINTR || errno == ENXIO && FileState(path: path)?.isPipe == true else {
                throw FileError(.create, path: path)
            }
            guard !Task.isCancelled else { throw FileError(.create, path: path, code: ECANCELED) }
            poll(nil, 0, timeout)
        }
    }

    /// Writes all bytes, and waits for a slow reader until the task is cancelled.
    ///
    /// - Throws: ``FileError``, with `ECANCELED` if the task is cancelled first.
    package func write(_ bytes: ArraySlice<UInt8>) throws(FileError) {
        var rest = bytes
        let isRegular = FileState(descriptor: descriptor)?.isRegular ?? false
        while !rest.isEmpty {
            if !isRegular { try waitUntilWritable() }
            // A writable pipe accepts this many bytes without blocking, even if the caller left it in blocking mode.
            let part = isRegular ? rest : rest.prefix(Int(PIPE_BUF))
            let count = part.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR, errno != EAGAIN {
                throw FileError(.write, path: path)
            }
        }
    }

    private func waitUntilWritable() throws(FileError) {
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

/// The error that the reader of standard output has closed it.
package struct OutputClosed: Error {}

extension OutputClosed: CataloguedError {
    package var explanation: ErrorExplanation {
        ErrorExplanation(
            "output.closed", "Standard output was closed.",
            reason: "The program that read it, such as head, has ended.", advice: "Write to a file to keep everything.")
    }

    package static var examples: [OutputClosed] { [OutputClosed()] }
}
