// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file that appears under its name only when it is complete.
final class OutputFile {
    private let path: String
    /// `nil` for what is no file, such as `/dev/null`: it is written to, and must never be replaced.
    private let temporaryPath: String?
    private var descriptor: Int32

    /// Opens a temporary file beside the final one, with the rights of the file that it replaces, or else those of a new
    /// one; a link is followed, not replaced.
    init(path: String) throws(FileError) {
        let (target, isFile, mode) = Self.resolve(path)
        self.path = target
        if isFile {
            let temporary = target + ".part-" + String(UInt64.random(in: .min ... .max), radix: 36)
            temporaryPath = temporary
            descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode ?? 0o666)
            if let mode, descriptor >= 0 { fchmod(descriptor, mode) }
        } else {
            temporaryPath = nil
            descriptor = open(target, O_WRONLY | O_CLOEXEC)
        }
        guard descriptor >= 0 else { throw FileError(.create, path: path) }
    }

    /// Where a path leads, whether a regular file is, or is to be, there, and who may do what with one that is.
    private static func resolve(_ path: String) -> (target: String, isFile: Bool, mode: mode_t?) {
        var information = stat()
        guard stat(path, &information) == 0, let resolved = realpath(path, nil) else { return (path, true, nil) }
        defer { free(resolved) }
        return (String(cString: resolved), information.st_mode & S_IFMT == S_IFREG, information.st_mode & 0o777)
    }

    /// Writes a file whole.
    static func write(_ text: String, to path: String) throws(FileError) {
        let file = try OutputFile(path: path)
        try FileDescriptorOutput(descriptor: file.descriptor, path: file.path).write(Array(text.utf8)[...])
        try file.commit()
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        try FileDescriptorOutput(descriptor: descriptor, path: path).write(Array(bytes)[...])
    }

    /// Gives the file its name, once its bytes are on the disk.
    func commit() throws(FileError) {
        guard let temporaryPath else { return discard() }
        guard fsync(descriptor) == 0 else { throw FileError(.write, path: path) }
        close(descriptor)
        descriptor = -1
        guard rename(temporaryPath, path) == 0 else {
            let error = FileError(.create, path: path)
            unlink(temporaryPath)
            throw error
        }
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
