// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

import NIOCore

/// What is there of a file that is being downloaded: a part beside its destination, and a note on what it is a part of.
///
/// The note is written before the first byte, and taken away before another representation is begun, so that whatever is found later is
/// a part of what the note says, or has no note and is worth nothing.
final class PartialFile: Sendable {
    let destination: String
    private let file: TransferFile
    private let notePath: String
    private let url: String

    private init(destination: String, file: TransferFile, notePath: String, url: String) {
        (self.destination, self.file, self.notePath, self.url) = (destination, file, notePath, url)
    }

    /// How often a part may be renamed by its owner between opening and locking it.
    private static let openingLimit = 8

    /// Opens the part of a destination; a link there is followed, not replaced.
    ///
    /// - Throws: ``SessionError/fileFailed(path:_:code:)``, also where another download writes it.
    static func open(for path: String, of url: String) async throws -> PartialFile {
        let (destination, mode) = try await TransferFile.away { try resolve(path) }
        let partPath = destination + ".part"
        for _ in 0..<openingLimit {
            let file = try await TransferFile.writing(partPath, mode: mode)
            guard try file.state().isRegular else {
                throw SessionError.fileFailed(path: partPath, .create, code: EEXIST)
            }
            try file.lock()
            // Between opening and locking it, the one who had the lock may have finished it.
            guard let named = FileState(path: partPath), try file.state().isSame(as: named) else {
                continue
            }
            return PartialFile(destination: destination, file: file, notePath: partPath + "-note", url: url)
        }
        throw SessionError.fileFailed(path: partPath, .lock, code: EAGAIN)
    }

    /// Where a path leads, and the rights of a file that is there.
    private static func resolve(_ path: String) throws(SessionError) -> (path: String, mode: mode_t?) {
        guard let state = FileState(path: path), let resolved = realpath(path, nil) else {
            return (path, nil)
        }
        defer { free(resolved) }
        // A folder or a device must never be replaced.
        guard state.isRegular else { throw .fileFailed(path: path, .create, code: EEXIST) }
        return (String(cString: resolved), mode_t(state.permissions))
    }

    /// In bytes.
    func length() throws -> Int { try file.state().length }

    /// - Returns: `nil` where nothing is there that could be gone on with.
    func note() async -> ResumptionNote? {
        guard let reader = try? await TransferFile.reading(notePath),
            let text = try? await reader.read(at: 0, count: Self.noteLimit)
        else { return nil }
        return ResumptionNote(String(buffer: text), for: url)
    }

    private static let noteLimit = 8 * 1024

    /// Begins anew, with what this will be a part of; without it, it cannot be gone on with.
    func begin(_ validator: StrongValidator?, total: Int?) async throws {
        try await TransferFile.away { [self] in
            unlink(notePath)
            try file.truncate(to: 0)
        }
        guard let validator else { return }
        let note = ResumptionNote(url: url, validator: validator, total: total)
        let fresh = try await TransferFile.writing(notePath, mode: 0o600)
        try await fresh.write(ByteBuffer(string: note.text), at: 0)
    }

    func write(_ bytes: ByteBuffer, at offset: Int) async throws {
        try await file.write(bytes, at: offset)
    }

    /// Gives the file its name, once its bytes are on the disk.
    func commit() async throws {
        try await file.synchronize()
        try await TransferFile.away { [self] in
            guard rename(file.path, destination) == 0 else {
                throw SessionError.fileFailed(path: destination, .rename, code: errno)
            }
            unlink(notePath)
        }
    }

    /// After a failure only what can be gone on with stays.
    func leave(isOfUse: Bool) async {
        defer { file.unlock() }
        let length = (try? length()) ?? 0
        if isOfUse, length > 0, await note() != nil { return }
        _ = try? await TransferFile.away { [self] in
            unlink(notePath)
            unlink(file.path)
        }
    }
}

extension FileState {
    fileprivate func isSame(as other: Self) -> Bool { inode == other.inode && device == other.device }
}
