// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Writes the files of a lab, private keys among them.
enum LabFile {
    /// Writes a new file that takes the place of what has the name.
    ///
    /// The file has its rights before its first byte. A link is replaced, not followed.
    ///
    /// - Parameters:
    ///   - bytes: What the file is to hold.
    ///   - path: Its name.
    ///   - mode: Its rights, before the process's mask.
    /// - Throws: ``LabError/cannotWrite(_:code:)``.
    static func write(_ bytes: [UInt8], to path: String, mode: mode_t) throws(LabError) {
        let draft = path + ".draft-" + String(UInt64.random(in: .min ... .max), radix: 36)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .cannotWrite(path, code: errno) }
        let isWritten = write(bytes[...], to: descriptor)
        guard close(descriptor) == 0, isWritten, rename(draft, path) == 0 else {
            let code = errno
            unlink(draft)
            throw .cannotWrite(path, code: code)
        }
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
