// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CSystemCalls
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Files that only their owner may read and write, in folders that only their owner may enter.
enum PrivateFile {
    /// Makes a file's folder with the rights 0700 where it is missing, and its parents as the system makes them.
    static func createFolder(of path: String) throws(KeychainError) {
        let folder = folder(of: path)
        if access(folder, F_OK) == 0 { return }
        if folder.contains("/"), folder != "/" { try createParents(of: folder) }
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw .cannotUse(path: folder, code: errno) }
    }

    private static func createParents(of folder: String) throws(KeychainError) {
        let parent = Self.folder(of: folder)
        guard access(parent, F_OK) != 0 else { return }
        try createParents(of: parent)
        guard mkdir(parent, 0o700) == 0 || errno == EEXIST else { throw .cannotUse(path: parent, code: errno) }
    }

    /// Checks the folder and, where it is there, the file.
    ///
    /// - Returns: Whether the file is there.
    /// - Throws: ``KeychainError/unsafeRights(path:)`` where another user owns one of them or may enter, read or write it,
    ///   and where the file is a link.
    @discardableResult
    static func check(_ path: String) throws(KeychainError) -> Bool {
        let folder = folder(of: path)
        guard let folderRights = try rights(folder, follows: true) else { return false }
        guard folderRights.isPrivate else { throw .unsafeRights(path: folder) }
        guard let fileRights = try rights(path, follows: false) else { return false }
        guard fileRights.isPrivate, fileRights.mode & S_IFMT == S_IFREG else { throw .unsafeRights(path: path) }
        return true
    }

    private struct Rights {
        let owner: uid_t
        let mode: mode_t

        var isPrivate: Bool { owner == getuid() && mode & 0o077 == 0 }
    }

    /// `nil` where there is no file.
    private static func rights(_ path: String, follows: Bool) throws(KeychainError) -> Rights? {
        var (owner, mode) = (uid_t(), mode_t())
        let code = file_rights(path, follows ? 1 : 0, &owner, &mode)
        if code == ENOENT { return nil }
        guard code == 0 else { throw .cannotUse(path: path, code: code) }
        return Rights(owner: owner, mode: mode)
    }

    /// Reads a file of an exact number of bytes; `nil` where there is none.
    static func read(_ path: String, count: Int) throws(KeychainError) -> [UInt8]? {
        guard try check(path) else { return nil }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .cannotUse(path: path, code: errno) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count + 1)
        let read = Self.read(descriptor, &bytes)
        guard read == count else { throw .damaged(.keyFile) }
        return Array(bytes.prefix(count))
    }

    /// Writes a new file with the rights 0600; one that is there stays as it is.
    ///
    /// - Returns: Whether the file is new.
    @discardableResult
    static func create(_ path: String, _ bytes: [UInt8]) throws(KeychainError) -> Bool {
        try createFolder(of: path)
        let draft = draft(of: path)
        try write(bytes, to: draft)
        defer { unlink(draft) }
        return try name(draft, path)
    }

    /// The path of a file that becomes another one when it is complete.
    static func draft(of path: String) -> String { path + ".\(getpid())-\(UInt32.random(in: 0 ... .max))" }

    /// Gives a complete file its name; one that is there stays as it is.
    ///
    /// - Returns: Whether the file has the name.
    static func publish(_ draft: String, as path: String) throws(KeychainError) -> Bool {
        guard try name(draft, path) else { return false }
        unlink(draft)
        // The name is on the disk too before it is acknowledged.
        let descriptor = open(folder(of: path), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        fsync(descriptor)
        return true
    }

    private static func name(_ draft: String, _ path: String) throws(KeychainError) -> Bool {
        guard link(draft, path) != 0 else { return true }
        guard errno == EEXIST else { throw failure(path, errno) }
        return false
    }

    /// Writes a file in the place of the one that is there, at once or not at all.
    static func replace(_ path: String, _ bytes: [UInt8]) throws(KeychainError) {
        try createFolder(of: path)
        let draft = draft(of: path)
        try write(bytes, to: draft)
        guard rename(draft, path) == 0 else {
            let code = errno
            unlink(draft)
            throw failure(path, code)
        }
    }

    /// Runs a closure while no other process or thread is in one for the same path.
    ///
    /// The system releases the lock when the process ends, however that happens.
    static func locked(_ path: String, _ body: () throws(KeychainError) -> Void) throws(KeychainError) {
        try createFolder(of: path)
        let descriptor = open(path + ".lock", O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure(path, errno) }
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw failure(path, errno) }
        }
        try body()
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(KeychainError) {
        let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure(path, errno) }
        defer { close(descriptor) }
        guard Self.write(descriptor, bytes) == bytes.count, fsync(descriptor) == 0 else {
            let code = errno
            unlink(path)
            throw failure(path, code)
        }
    }

    static func isEmpty(_ path: String) -> Bool { file_is_empty(path) != 0 }

    /// Removes a database's file, and those of its log.
    static func removeDatabase(_ path: String) { for ending in ["", "-wal", "-shm"] { unlink(path + ending) } }

    /// What an error of the system means for a file that is to be written.
    private static func failure(_ path: String, _ code: Int32) -> KeychainError {
        switch code {
        case ENOSPC, EDQUOT: .diskFull
        case EROFS: .readOnly
        default: .cannotUse(path: path, code: code)
        }
    }

    static func folder(of path: String) -> String {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        return end == path.startIndex ? (path.hasPrefix("/") ? "/" : ".") : String(path[..<end])
    }

    // The methods of the same names hide the system's functions.
    private static func read(_ descriptor: Int32, _ bytes: inout [UInt8]) -> Int {
        bytes.withUnsafeMutableBytes { space in
            #if canImport(Darwin)
                Darwin.read(descriptor, space.baseAddress, space.count)
            #elseif canImport(Musl)
                Musl.read(descriptor, space.baseAddress, space.count)
            #else
                Glibc.read(descriptor, space.baseAddress, space.count)
            #endif
        }
    }

    private static func write(_ descriptor: Int32, _ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { space in
            #if canImport(Darwin)
                Darwin.write(descriptor, space.baseAddress, space.count)
            #elseif canImport(Musl)
                Musl.write(descriptor, space.baseAddress, space.count)
            #else
                Glibc.write(descriptor, space.baseAddress, space.count)
            #endif
        }
    }
}
