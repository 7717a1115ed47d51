// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore
import POSIX

/// A file that is being downloaded: a partial file next to its destination, and a note that identifies the
/// representation.
///
/// The note is written before the first byte, and removed before another representation starts. A later download
/// therefore finds either a partial file of the representation in the note, or a file without a note, which it cannot
/// resume.
final class PartialFile: IncompleteFile {
    /// The permissions of a new file, before the process's mask.
    ///
    /// A partial file that others can write is never resumed.
    static let newPermissions: UInt32 = 0o644

    private let target: OutputTarget
    private let file: TransferFile
    private let path: String
    /// Whether a later download can find the partial file.
    private let canBeResumed: Bool
    private let url: String
    /// The number of bytes that an earlier download had left when the file was opened.
    private let earlierLength: Int
    private let box: NIOLockedValueBox<Int>

    init(target: OutputTarget, file: TransferFile, path: String, canBeResumed: Bool, url: String) throws {
        (self.target, self.file, self.path) = (target, file, path)
        (self.canBeResumed, self.url) = (canBeResumed, url)
        earlierLength = try file.state().length
        box = NIOLockedValueBox(earlierLength)
    }

    var resumedFrom: Int { box.withLockedValue { $0 } }
    var discardedLength: Int { earlierLength - resumedFrom }

    var destination: String { target.path }
    private var notePath: String { path + "-note" }

    /// Returns the path of the partial file of a destination.
    static func path(for target: OutputTarget) -> String { target.path + ".part" }

    func part() async throws -> DownloadRun.Part? {
        guard let note = await note() else { return nil }
        let length = try file.state().length
        return (1...(note.total ?? .max)).contains(length) ? DownloadRun.Part(length: length, note: note) : nil
    }

    /// Reads the note of the partial file.
    ///
    /// - Returns: `nil` if there is no partial file that can be resumed.
    private func note() async -> ResumptionNote? {
        guard let text = await Self.readPrivate(notePath, atMost: Self.noteLimit) else { return nil }
        return ResumptionNote(text)
    }

    private static let noteLimit = 8 * 1024

    /// Truncates the file and writes a note for the new representation.
    ///
    /// Without a validator there is no note, and the file cannot be resumed.
    func begin(_ validator: StrongValidator?, total: Int?) async throws {
        try await TransferFile.runBlocking { [self] in
            unlink(notePath)
            try file.truncate(to: 0)
        }
        box.withLockedValue { $0 = 0 }
        guard let validator else { return }
        let note = ResumptionNote(url: url, validator: validator, total: total)
        do {
            let fresh = try await TransferFile.creating(notePath, mode: 0o600)
            try await fresh.write(ByteBuffer(string: note.text), at: 0)
        } catch SessionError.file(.failed(_, _, code: EEXIST)) {
            // The file of this name belongs to another user, and cannot be removed.
        }
    }

    func write(_ bytes: ByteBuffer, at offset: Int) async throws {
        try await file.write(bytes, at: offset)
    }

    /// Renames the file to its destination, once its bytes are on the disk.
    ///
    /// - Returns: Whether the file has the owner of the file that it replaced.
    func commit() async throws -> Bool {
        let keepsOwner = file.applyPermissions(of: target, newPermissions: try file.state().permissions)
        try await file.synchronize()
        try await TransferFile.runBlocking { [self] in
            // In a folder that others can write, the name may belong to another file by now.
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

    /// Cleans up after a failure: keeps the partial file only if it can be resumed.
    func leave(canResume: Bool) async {
        defer { file.unlock() }
        let length = (try? file.state().length) ?? 0
        if canResume, canBeResumed, length > 0, await note() != nil { return }
        _ = try? await TransferFile.runBlocking { [self] in
            unlink(notePath)
            unlink(path)
        }
    }
}

extension PartialFile {
    /// The maximum number of attempts to open a partial file that other downloads complete between opening and locking.
    private static let openingLimit = 8

    /// Opens the partial file for a destination, or creates one.
    ///
    /// A partial file that another user may have written is neither resumed nor written to; a new file replaces it.
    ///
    /// - Throws: ``SessionError`` of ``FileError/failed(path:_:code:)``, for example if another download is writing the
    ///   partial file; of ``FileError/partialFileOfAnotherURL(path:)`` if the conflict makes it fail.
    static func open(
        for path: String, of url: String, onConflict conflict: DownloadConflict
    ) async throws -> PartialFile {
        let target = try await TransferFile.runBlocking { OutputTarget(path) }
        // A folder or a device must never be replaced.
        guard target.state?.isRegular ?? true else {
            throw SessionError.file(.notRegular(path: path))
        }
        if let code = target.refusal { throw SessionError.file(.failed(path: path, .create, code: code)) }
        let partPath = Self.path(for: target)
        for _ in 0..<openingLimit {
            guard let part = try await openPart(partPath, for: target, of: url) else { continue }
            if part.resumedFrom > 0, let note = await part.note(), !note.isFor(url) {
                guard conflict == .discard else { throw SessionError.file(.partialFileOfAnotherURL(path: partPath)) }
                try await part.begin(nil, total: nil)
            }
            return part
        }
        throw SessionError.file(.failed(path: partPath, .lock, code: EAGAIN))
    }

    /// Opens and locks a partial file.
    ///
    /// - Returns: `nil` if another process renamed or created the file in the meantime.
    private static func openPart(
        _ partPath: String, for target: OutputTarget, of url: String
    ) async throws -> PartialFile? {
        let file: TransferFile
        switch await existing(at: partPath) {
        case .nothing:
            do {
                file = try await TransferFile.creating(partPath, mode: mode(for: target))
            } catch SessionError.file(.failed(_, _, code: EEXIST)) {
                return nil
            }
        case .own(let own):
            file = own
        case .foreign:
            return try await replacing(partPath, for: target, of: url)
        }
        try file.lock()
        // Another download may have completed the file between opening and locking.
        guard let named = FileState(linkAt: partPath), try file.state().isSame(as: named) else { return nil }
        return try PartialFile(target: target, file: file, path: partPath, canBeResumed: true, url: url)
    }

    private enum Existing {
        case nothing
        case own(TransferFile)
        /// A file of another user, a file that another user could have changed, or a file that is not regular.
        case foreign
    }

    private static func existing(at path: String) async -> Existing {
        do {
            let file = try await TransferFile.opening(path, O_RDWR | O_NOFOLLOW, .create)
            return try file.state().isPrivateFile ? .own(file) : .foreign
        } catch SessionError.file(.failed(_, _, code: ENOENT)) {
            return .nothing
        } catch {
            return .foreign
        }
    }

    /// Replaces a foreign file with a new one.
    ///
    /// In a folder such as `/tmp`, only the owner can remove a file. The new file then keeps a random name, which no
    /// later download finds.
    private static func replacing(
        _ partPath: String, for target: OutputTarget, of url: String
    ) async throws -> PartialFile {
        let path = partPath + "-" + String(UInt64.random(in: .min ... .max), radix: 36)
        let file = try await TransferFile.creating(path, mode: mode(for: target))
        try file.lock()
        let isNamed = rename(path, partPath) == 0
        return try PartialFile(
            target: target, file: file, path: isNamed ? partPath : path, canBeResumed: isNamed, url: url)
    }

    /// Returns the permissions of a partial file: at most those of the file that it replaces, and never write
    /// permission for others.
    private static func mode(for target: OutputTarget) -> mode_t {
        mode_t((target.state?.permissions ?? newPermissions) & newPermissions | 0o600)
    }

    /// Reads a file that no other user can have written; `nil` for every other file.
    static func readPrivate(_ path: String, atMost limit: Int) async -> String? {
        guard let file = try? await TransferFile.opening(path, O_RDONLY | O_NOFOLLOW, .read),
            (try? file.state())?.isPrivateFile == true, let text = try? await file.read(at: 0, count: limit)
        else { return nil }
        return String(buffer: text)
    }
}
