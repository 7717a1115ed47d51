// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Countersign
package import ErrorExplanations
import POSIX

/// A file that appears under its name only when it is complete.
package final class OutputFile {
    private enum Stage {
        /// The file has no name yet, so that nothing of it is left however the process ends.
        case nameless
        /// Where the system has no nameless files.
        case temporary(String)
        /// A device or a pipe, such as `/dev/null`: it is written to, and must never be replaced.
        case device
    }

    private let target: OutputTarget
    private let stage: Stage
    /// Whether a file of the same name may be replaced.
    private let replaces: Bool
    private var descriptor: Int32
    /// The rights of a new file, the process's mask applied.
    private let newRights: UInt32
    /// The most rights that it may have.
    private let limit: UInt32

    private var path: String { target.path }

    /// Opens a temporary file in the folder of the final one, or the device or pipe that has the name.
    ///
    /// A link is followed, not replaced, unless another user made it. A pipe is opened as soon as it is read.
    ///
    /// - Parameters:
    ///   - path: The final name.
    ///   - newMode: The rights of a new file, before the process's mask; one that replaces a file takes over that file's.
    ///   - replaces: Without it, a file that has the name at the end is an error, and stays.
    /// - Throws: ``FileError``.
    package init(path: String, newMode: UInt32 = 0o666, replaces: Bool = true) throws(FileError) {
        self.replaces = replaces
        target = OutputTarget(path)
        // What is for its owner alone stays so where it replaces a file that others can read.
        limit = newMode & 0o077 == 0 ? newMode : 0o777
        if let code = target.refusal { throw FileError(.create, path: path, code: code) }
        guard target.state?.isRegular ?? true else {
            (stage, newRights) = (.device, 0)
            descriptor = try Self.openDevice(target)
            return
        }
        (descriptor, stage) = Self.openTemporary(for: target.path, mode_t(newMode))
        guard descriptor >= 0 else { throw FileError(.create, path: path) }
        newRights = FileState(descriptor: descriptor)?.permissions ?? 0
        // Until it has the rights of the file that it replaces, it has fewer.
        if target.state != nil { fchmod(descriptor, 0o600) }
    }

    /// Opens a device or a pipe.
    ///
    /// A pipe that is standard output too is not opened again: without a reader, that would wait for one.
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
        /// `O_TMPFILE`, which not every C library gives to Swift.
        private static let namelessFile = Int32(0o20000000) | O_DIRECTORY
    #endif

    /// Under which a nameless file can be given a name.
    private static func name(of descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    private static func temporaryPath(for target: String) -> String {
        target + ".part-" + String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// Writes a file whole.
    ///
    /// - Returns: Whether it belongs to the owner of the file that it replaced.
    /// - Throws: ``FileError``, ``OutputClosed``.
    @discardableResult
    package static func write(
        _ bytes: [UInt8], to path: String, mode: UInt32 = 0o666, replaces: Bool = true
    ) throws -> Bool {
        let file = try OutputFile(path: path, newMode: mode, replaces: replaces)
        try file.write(bytes)
        return try file.commit()
    }

    /// Writes a text whole, as its bytes in UTF-8 are.
    @discardableResult
    package static func write(_ text: String, to path: String, mode: UInt32 = 0o666) throws -> Bool {
        try write(Array(text.utf8), to: path, mode: mode)
    }

    /// Whether what is written goes out at once, to a device or a pipe.
    package var isDevice: Bool { if case .device = stage { true } else { false } }

    /// - Throws: ``FileError``; ``OutputClosed`` where the file is standard output too, and its reader has gone.
    package func write(_ bytes: [UInt8]) throws {
        do throws(FileError) {
            try FileDescriptorOutput(descriptor: descriptor, path: path).write(bytes[...])
        } catch {
            let isStandardOutput = FileState(descriptor: descriptor).map(Self.isStandardOutput) ?? false
            throw error.systemCode == EPIPE && isStandardOutput ? OutputClosed() : error
        }
    }

    /// Gives the file its name, once its bytes are on the disk.
    ///
    /// - Returns: Whether it belongs to the owner of the file that it replaced.
    @discardableResult
    package func commit() throws(FileError) -> Bool {
        if case .device = stage {
            discard()
            return true
        }
        let keepsOwner = target.keepRights(on: descriptor, newRights: newRights, limit: limit)
        guard fsync(descriptor) == 0, let temporary = nameTemporarily() else { throw FileError(.write, path: path) }
        close(descriptor)
        descriptor = -1
        // Other than renaming, a link never takes the place of a file.
        let isNamed = replaces ? rename(temporary, path) == 0 : link(temporary, path) == 0
        let code = errno
        if !isNamed || !replaces { unlink(temporary) }
        guard isNamed else { throw FileError(.create, path: path, code: code) }
        return keepsOwner
    }

    /// A link can be made to a nameless file, but not in the place of another file: for a moment it has a third name.
    private func nameTemporarily() -> String? {
        guard case .nameless = stage else { return temporaryPath }
        let temporary = Self.temporaryPath(for: path)
        let result = linkat(AT_FDCWD, Self.name(of: descriptor), AT_FDCWD, temporary, AT_SYMLINK_FOLLOW)
        return result == 0 ? temporary : nil
    }

    private var temporaryPath: String? {
        if case .temporary(let path) = stage { path } else { nil }
    }

    /// Without a commit, nothing stays.
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

/// Nothing reads standard output any more.
package struct OutputClosed: Error {}

extension OutputClosed: CataloguedError {
    package var explanation: ErrorExplanation {
        ErrorExplanation(
            "output.closed", "Standard output was closed.",
            reason: "The program that read it, such as head, has ended.", advice: "Write to a file to keep everything.")
    }

    package static var examples: [OutputClosed] { [OutputClosed()] }
}
