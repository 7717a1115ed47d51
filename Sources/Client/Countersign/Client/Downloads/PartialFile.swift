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

/// A file that is being downloaded: a part beside its destination, and a note that says of what it is a part.
///
/// The note is written before the first byte, and removed before another representation is begun. So a part that is found later is a part
/// of what its note says, or has no note and is of no use.
final class PartialFile: Sendable {
    /// The rights of a new file, before the process's mask: a later run continues no part that others can write.
    static let newRights: UInt32 = 0o644

    private let target: OutputTarget
    private let file: TransferFile
    private let path: String
    /// Whether a later run finds the part.
    private let isContinuable: Bool
    private let url: String

    init(target: OutputTarget, file: TransferFile, path: String, isContinuable: Bool, url: String) {
        (self.target, self.file, self.path) = (target, file, path)
        (self.isContinuable, self.url) = (isContinuable, url)
    }

    var destination: String { target.path }
    private var notePath: String { path + "-note" }

    /// The length, in bytes.
    func length() throws -> Int { try file.state().length }

    /// - Returns: `nil` where there is no part that can be continued.
    func note() async -> ResumptionNote? {
        guard let text = await Self.readPrivate(notePath, atMost: Self.noteLimit) else { return nil }
        return ResumptionNote(text, for: url)
    }

    private static let noteLimit = 8 * 1024

    /// Begins anew, with a note of what this will be a part of; without a note it cannot be continued.
    func begin(_ validator: StrongValidator?, total: Int?) async throws {
        try await TransferFile.away { [self] in
            unlink(notePath)
            try file.truncate(to: 0)
        }
        guard let validator else { return }
        let note = ResumptionNote(url: url, validator: validator, total: total)
        do {
            let fresh = try await TransferFile.creating(notePath, mode: 0o600)
            try await fresh.write(ByteBuffer(string: note.text), at: 0)
        } catch SessionError.file(.failed(_, _, code: EEXIST)) {
            // Another user's file has the name, and cannot be removed.
        }
    }

    func write(_ bytes: ByteBuffer, at offset: Int) async throws {
        try await file.write(bytes, at: offset)
    }

    /// Gives the file its name, once its bytes are on the disk.
    ///
    /// - Returns: Whether it belongs to the owner of the file that it replaced.
    func commit() async throws -> Bool {
        let keepsOwner = file.takeRights(of: target, newRights: try file.state().permissions)
        try await file.synchronize()
        try await TransferFile.away { [self] in
            // In a folder that others can write, the name may have been given to another file.
            guard let named = FileState(linkAt: path), try file.state().isSame(as: named) else {
                throw SessionError.file(.failed(path: path, .rename, code: ENOENT))
            }
            guard rename(path, destination) == 0 else {
                throw SessionError.file(.failed(path: destination, .rename, code: errno))
            }
            unlink(notePath)
        }
        return keepsOwner
    }

    /// After a failure, keeps only a part that can be continued.
    func leave(isOfUse: Bool) async {
        defer { file.unlock() }
        let length = (try? length()) ?? 0
        if isOfUse, isContinuable, length > 0, await note() != nil { return }
        _ = try? await TransferFile.away { [self] in
            unlink(notePath)
            unlink(path)
        }
    }
}
