// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import EssentialFoundation
package import ErrorExplanations
import POSIX

/// The error type of a target that uses ``PrivateFile``, which creates the errors with these functions.
package protocol PrivateFileFailure: Error {
    /// Returns the error for a file or folder that another user owns or may access, or that is a link.
    static func exposed(_ path: String) -> Self
    /// Returns the error for a path that the system failed to use; the code is an `errno`.
    static func refused(_ path: String, code: Int32) -> Self
    /// Returns the error for a URL that does not name a file on this machine; it omits user, password and query.
    static func notAFile(_ url: String) -> Self
}

extension PrivateFileFailure {
    package static func exposed(_ path: String) -> Self { refused(path, code: EACCES) }
    package static func notAFile(_ url: String) -> Self { refused(url, code: EINVAL) }
}

extension ErrorExplanation {
    /// Returns the explanation for a URL that does not name a file on this machine.
    package static func notAFile(_ code: String, _ url: String) -> Self {
        ErrorExplanation(
            code, "The URL \(url) does not name a file on this machine.",
            reason: "A file URL begins with file:/// and has no other host (RFC 8089).",
            advice: "Make the URL with URL(filePath:).")
    }
}

/// Files that only their owner may read and write, in folders that only their owner may enter.
///
/// A file gets its permissions before its first byte, and its name only after its bytes are on the disk. Links to files
/// are not followed.
package enum PrivateFile<Failure: PrivateFileFailure> {
    // MARK: URLs

    /// Returns the path of a file URL (RFC 8089 section 2).
    ///
    /// - Throws: ``PrivateFileFailure/notAFile(_:)`` if the URL does not name a file on this machine.
    package static func path(of url: URL) throws(Failure) -> String {
        let (host, path) = (url.host(percentEncoded: false) ?? "", url.path)
        // The system would read a path with a NUL only up to it.
        guard url.isFileURL, ["", "localhost"].contains(host), !path.isEmpty, !path.utf8.contains(0) else {
            let scheme = url.scheme.map { $0 + ":" } ?? ""
            throw .notAFile(scheme + (host.isEmpty ? "" : "//" + host) + url.path())
        }
        return path
    }

    // MARK: Folders

    /// Creates the folder of a file with the permissions 0700 if
    /// it is missing, and its parents with the same permissions.
    package static func createFolder(of path: String) throws(Failure) {
        let folder = folder(of: path)
        guard access(folder, F_OK) != 0 else { return }
        if folder.contains("/"), folder != "/" { try createFolder(of: folder) }
        try create(folder: folder)
    }

    /// Creates a folder with the permissions 0700 if it is missing.
    package static func create(folder: String) throws(Failure) {
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw .refused(folder, code: errno) }
    }

    /// Returns the path of a file's folder; `.` for a file name without a folder.
    package static func folder(of path: String) -> String {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        return end == path.startIndex ? (path.hasPrefix("/") ? "/" : ".") : String(path[..<end])
    }

    // MARK: Checks

    /// Checks the permissions of a folder, and that it is not a link.
    ///
    /// - Returns: Whether the folder exists.
    /// - Throws: ``PrivateFileFailure/exposed(_:)`` if another user owns it or may enter it, or if it is not a folder.
    @discardableResult
    package static func check(folder: String) throws(Failure) -> Bool {
        guard let state = try state(folder, followsLinks: false) else { return false }
        guard state.isPrivate, state.st_mode & S_IFMT == S_IFDIR else { throw .exposed(folder) }
        return true
    }

    /// Checks a file and its folder; the folder may be a link, but not the file.
    ///
    /// - Returns: Whether the file exists.
    /// - Throws: ``PrivateFileFailure/exposed(_:)`` if another user owns one of them or may enter, read or write it, or
    ///   if the file is not a regular one.
    @discardableResult
    package static func check(_ path: String) throws(Failure) -> Bool {
        let folder = folder(of: path)
        guard let folderState = try state(folder, followsLinks: true) else { return false }
        guard folderState.isPrivate else { throw .exposed(folder) }
        guard let state = try state(path, followsLinks: false) else { return false }
        guard state.isPrivate, state.st_mode & S_IFMT == S_IFREG else { throw .exposed(path) }
        return true
    }

    /// Returns the status of a path; `nil` if it does not exist.
    private static func state(_ path: String, followsLinks: Bool) throws(Failure) -> stat? {
        var state = stat()
        if (followsLinks ? stat(path, &state) : lstat(path, &state)) == 0 { return state }
        guard errno == ENOENT else { throw .refused(path, code: errno) }
        return nil
    }

    // MARK: Reading

    /// Reads the first bytes of a file, after checking it and its folder.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - limit: The maximum number of bytes.
    /// - Returns: The bytes; `nil` if there is no file.
    /// - Throws: The errors of ``check(_:)``, and ``PrivateFileFailure/refused(_:code:)``.
    package static func read(_ path: String, limit: Int) throws(Failure) -> [UInt8]? {
        guard try check(path) else { return nil }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .refused(path, code: errno) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = bytes.withUnsafeMutableBytes { systemRead(descriptor, $0) }
        guard count >= 0 else { throw .refused(path, code: errno) }
        return Array(bytes.prefix(count))
    }

    // MARK: Writing

    /// Writes a new file, in a folder that is created if it is
    /// missing; an existing file with the name remains unchanged.
    ///
    /// - Returns: Whether the file was created.
    @discardableResult
    package static func create(_ path: String, _ bytes: [UInt8]) throws(Failure) -> Bool {
        try createFolder(of: path)
        let draft = draft(of: path)
        try write(bytes, to: draft, of: path, mode: 0o600)
        defer { unlink(draft) }
        return try link(draft, to: path)
    }

    /// Replaces a file atomically with a new one, or creates it; a link is replaced, not followed.
    ///
    /// - Parameters:
    ///   - path: The path of the file, in an existing folder.
    ///   - bytes: The content.
    ///   - mode: The permissions, before the process's umask is applied.
    /// - Throws: ``PrivateFileFailure/refused(_:code:)``; the former file then remains unchanged.
    package static func replace(_ path: String, with bytes: [UInt8], mode: UInt16 = 0o600) throws(Failure) {
        let draft = draft(of: path)
        try write(bytes, to: draft, of: path, mode: mode_t(mode))
        guard rename(draft, path) == 0 else {
            let code = errno
            unlink(draft)
            throw .refused(path, code: code)
        }
    }

    /// Returns a temporary path for a file that is renamed when it is complete.
    package static func draft(of path: String) -> String { path + ".\(getpid())-\(UInt32.random(in: 0 ... .max))" }

    /// Renames a complete file to its final name, and syncs the
    /// folder; an existing file with the name remains unchanged.
    ///
    /// - Returns: Whether the file was renamed.
    package static func publish(_ draft: String, as path: String) throws(Failure) -> Bool {
        guard try link(draft, to: path) else { return false }
        unlink(draft)
        let descriptor = open(folder(of: path), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        fsync(descriptor)
        return true
    }

    /// Links a file to its final name; unlike renaming, linking never replaces an existing file.
    private static func link(_ draft: String, to path: String) throws(Failure) -> Bool {
        if systemLink(draft, path) == 0 { return true }
        guard errno == EEXIST else { throw .refused(path, code: errno) }
        return false
    }

    /// Writes the draft of a file; the error names the file itself.
    private static func write(_ bytes: [UInt8], to draft: String, of path: String, mode: mode_t) throws(Failure) {
        let descriptor = open(draft, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw .refused(path, code: errno) }
        defer { close(descriptor) }
        guard bytes.withUnsafeBytes({ systemWrite(descriptor, $0) }), fsync(descriptor) == 0 else {
            let code = errno
            unlink(draft)
            throw .refused(path, code: code)
        }
    }
}

extension stat {
    fileprivate var isPrivate: Bool { st_uid == getuid() && st_mode & 0o077 == 0 }
}

// Inside the type, the methods of the same names hide the system functions.
private func systemRead(_ descriptor: Int32, _ space: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, space.baseAddress, space.count)
}

/// Returns whether all bytes were written; otherwise `errno` is set.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        let count = write(descriptor, part.baseAddress, part.count)
        guard count > 0 || errno == EINTR else { return false }
        rest = rest.dropFirst(max(count, 0))
    }
    return true
}

private func systemLink(_ file: String, _ name: String) -> Int32 { link(file, name) }
