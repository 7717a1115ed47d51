// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file that appears under its name only when it is complete.
final class OutputFile {
    private enum Stage {
        /// The file has no name yet, so that nothing of it is left however the process ends.
        case nameless
        /// Where the system has no nameless files.
        case temporary(String)
        /// What is no file, such as `/dev/null`: it is written to, and must never be replaced.
        case device
    }

    private let path: String
    private let stage: Stage
    private var descriptor: Int32

    /// Opens a temporary file in the folder of the final one, with the rights of the file that it replaces, or else those
    /// of a new one, which are before the mask of the process; a link is followed, not replaced.
    init(path: String, newMode: mode_t = 0o666) throws(FileError) {
        let (target, isFile, mode) = Self.resolve(path)
        self.path = target
        if isFile {
            // What is for its owner alone stays so where it replaces a file that others can read.
            let rights = mode.map { newMode & 0o077 == 0 ? $0 & newMode : $0 } ?? newMode
            (descriptor, stage) = Self.openTemporary(for: target, rights)
            if mode != nil, descriptor >= 0 { fchmod(descriptor, rights) }
        } else {
            stage = .device
            descriptor = open(target, O_WRONLY | O_CLOEXEC)
        }
        guard descriptor >= 0 else { throw FileError(.create, path: path) }
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

    /// Where a path leads, whether a regular file is, or is to be, there, and who may do what with one that is.
    private static func resolve(_ path: String) -> (target: String, isFile: Bool, mode: mode_t?) {
        guard let state = FileState(path: path) else { return (path, true, nil) }
        // Of a pipe there is a link, `/dev/stdout` say, and no path that it leads to.
        guard state.isRegular, let resolved = realpath(path, nil) else { return (path, false, nil) }
        defer { free(resolved) }
        return (String(cString: resolved), true, mode_t(state.permissions))
    }

    /// Writes a file whole.
    static func write(_ text: String, to path: String, mode: mode_t = 0o666) throws(FileError) {
        let file = try OutputFile(path: path, newMode: mode)
        try file.write(Array(text.utf8))
        try file.commit()
    }

    func write(_ bytes: [UInt8]) throws(FileError) {
        try FileDescriptorOutput(descriptor: descriptor, path: path).write(bytes[...])
    }

    /// Gives the file its name, once its bytes are on the disk.
    func commit() throws(FileError) {
        if case .device = stage { return discard() }
        guard fsync(descriptor) == 0, let temporary = nameTemporarily() else { throw FileError(.write, path: path) }
        close(descriptor)
        descriptor = -1
        guard rename(temporary, path) == 0 else {
            let error = FileError(.create, path: path)
            unlink(temporary)
            throw error
        }
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
    func discard() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
        if let temporaryPath { unlink(temporaryPath) }
    }

    deinit { discard() }
}
