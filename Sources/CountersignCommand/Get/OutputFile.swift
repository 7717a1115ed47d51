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
    private let temporaryPath: String
    private var descriptor: Int32

    /// Opens a temporary file beside the final one, with the rights that a new file has.
    init(path: String) throws(FileError) {
        self.path = path
        let suffix = String(UInt64.random(in: .min ... .max), radix: 36)
        temporaryPath = path + ".part-" + suffix
        descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw FileError(.create, path: path) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        try FileDescriptorOutput(descriptor: descriptor, path: path).write(Array(bytes)[...])
    }

    /// Gives the file its name, once its bytes are on the disk.
    func commit() throws(FileError) {
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
        unlink(temporaryPath)
    }

    deinit { discard() }
}
