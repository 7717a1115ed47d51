// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The folder of an agent's socket, which only its user may enter.
enum AgentFolder {
    /// Makes the socket's folder where it is missing, and checks it.
    ///
    /// - Throws: ``KeychainAgentError/notOwn(path:)`` where another user owns it or may enter it, and where it is a link.
    static func prepare(for socket: String) throws(KeychainAgentError) {
        let folder = String(socket[..<(socket.lastIndex(of: "/") ?? socket.startIndex)])
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw .cannotUse(path: socket, code: errno) }
        try check(folder)
    }

    /// - Returns: Whether the folder is there.
    @discardableResult
    static func check(_ folder: String) throws(KeychainAgentError) -> Bool {
        var state = stat()
        guard lstat(folder, &state) == 0 else {
            if errno == ENOENT { return false }
            throw .cannotUse(path: folder, code: errno)
        }
        let isFolder = state.st_mode & S_IFMT == S_IFDIR
        guard isFolder, state.st_uid == getuid(), state.st_mode & 0o077 == 0 else { throw .notOwn(path: folder) }
        return true
    }
}
