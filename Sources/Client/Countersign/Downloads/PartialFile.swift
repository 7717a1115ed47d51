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
///
/// A download that leaves the file adds its length and modification time to the note. If they differ later, another
/// program wrote to the file, or this one was killed. The end of the file is then compared with the representation.
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
    private let onLoss: @Sendable (PartialFileLoss) -> Void
    private let box: NIOLockedValueBox<Progress>

    private struct Progress {
        /// The number of bytes of an earlier download that are still in the file.
        var resumedFrom: Int
        /// The offset of the next byte that is compared or written.
        var offset: Int
        /// The range of bytes that are compared; empty if the file is as the last download left it.
        var comparison = 0..<0
    }

    init(
        target: OutputTarget, file: TransferFile, path: String, canBeResumed: Bool, url: String,
        onLoss: @escaping @Sendable (PartialFileLoss) -> Void
    ) throws {
        (self.target, self.file, self.path) = (target, file, path)
        (self.canBeResumed, self.url, self.onLoss) = (canBeResumed, url, onLoss)
        earlierLength = try file.state().length
        box = NIOLockedValueBox(Progress(resumedFrom: earlierLength, offset: earlierLength))
    }

    var resumedFrom: Int { box.withLockedValue { $0.resumedFrom } }
    var discardedLength: Int { earlierLength - resumedFrom }
    var comparedLength: Int { box.withLockedValue { $0.comparison.count } }

    var destination: String { target.path }
    private var notePath: String { path + "-note" }

    /// Returns the path of the partial file of a destination.
    static func path(for target: OutputTarget) -> String { target.path + ".part" }

    func part() async throws -> DownloadRun.Part? {
        let (offset, end) = box.withLockedValue { ($0.offset, $0.comparison.upperBound) }
        guard max(offset, end) > 0, let note = await note() else { return nil }
        return DownloadRun.Part(length: offset, note: note)
    }

    /// Returns the reason for which the bytes of an earlier download cannot be resumed, and prepares the comparison of
    /// their end if it is needed.
    private func problem() async throws -> AdoptionError.Problem? {
        guard let note = await note() else { return .noNote }
        guard note.isFor(url) else { return .otherURL }
        let state = try file.state()
        guard state.length <= note.total ?? .max else { return .fileTooLong }
        if note.mark != state.mark {
            box.withLockedValue {
                $0.comparison = max(0, state.length - Self.maximumOverlap)..<state.length
                $0.offset = $0.comparison.lowerBound
            }
        }
        return nil
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
    func begin(_ validator: StrongValidator?, total: Int?, because problem: AdoptionError.Problem) async throws {
        let lost = resumedFrom
        if lost > 0 { onLoss(PartialFileLoss(path: path, problem: problem, fate: .discarded(lost))) }
        try await TransferFile.runBlocking { [self] in
            unlink(notePath)
            try file.truncate(to: 0)
        }
        box.withLockedValue { $0 = Progress(resumedFrom: 0, offset: 0) }
        guard let validator else { return }
        let note = ResumptionNote(url: url, validator: validator, total: total)
        do {
            let fresh = try await TransferFile.creating(notePath, mode: 0o600)
            try await fresh.write(ByteBuffer(string: note.text), at: 0)
        } catch SessionError.file(.failed(_, _, code: EEXIST)) {
            // The file of this name belongs to another user, and cannot be removed.
        }
    }

    /// - Throws: ``RestartNeeded`` if the bytes are not those of the file.
    func write(_ bytes: ByteBuffer, at offset: Int) async throws {
        let end = box.withLockedValue { $0.comparison.upperBound }
        if let difference = try await file.write(bytes, at: offset, comparingUpTo: end) {
            throw RestartNeeded(problem: .contentDiffers(offset: difference))
        }
        box.withLockedValue { $0.offset = offset + bytes.readableBytes }
    }

    /// Renames the file to its destination, once its bytes are on the disk.
    ///
    /// - Parameter length: The length of the representation, in bytes.
    /// - Returns: Whether the file has the owner of the file that it replaced.
    /// - Throws: ``RestartNeeded`` if the file is longer.
    func commit(length: Int) async throws -> Bool {
        guard try file.state().length == length else { throw RestartNeeded(problem: .fileTooLong) }
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
        if canResume, canBeResumed, length > 0, let note = await note() {
            try? await mark(note)
            return
        }
        _ = try? await TransferFile.runBlocking { [self] in
            unlink(notePath)
            unlink(path)
        }
    }

    /// Adds the mark of the file to the note, unless a comparison of the file did not reach its end.
    private func mark(_ note: ResumptionNote) async throws {
        guard box.withLockedValue({ $0.offset >= $0.comparison.upperBound }) else { return }
        var note = note
        note.mark = try file.state().mark
        let text = note.text
        let file = try await TransferFile.opening(notePath, O_WRONLY | O_NOFOLLOW, .write)
        try await file.write(ByteBuffer(string: text), at: 0)
        try file.truncate(to: text.utf8.count)
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
        for path: String, of url: String, onConflict conflict: DownloadConflict,
        onLoss: @escaping @Sendable (PartialFileLoss) -> Void
    ) async throws -> PartialFile {
        let target = try await TransferFile.runBlocking { OutputTarget(path) }
        // A folder or a device must never be replaced.
        guard target.state?.isRegular ?? true else {
            throw SessionError.file(.notRegular(path: path))
        }
        if let code = target.refusal { throw SessionError.file(.failed(path: path, .create, code: code)) }
        let partPath = Self.path(for: target)
        for _ in 0..<openingLimit {
            guard let part = try await openPart(partPath, for: target, of: url, onLoss) else { continue }
            if part.resumedFrom > 0, let problem = try await part.problem() {
                guard problem != .otherURL || conflict == .discard else {
                    throw SessionError.file(.partialFileOfAnotherURL(path: partPath))
                }
                try await part.begin(nil, total: nil, because: problem)
            }
            return part
        }
        throw SessionError.file(.failed(path: partPath, .lock, code: EAGAIN))
    }

    /// Opens and locks a partial file.
    ///
    /// - Returns: `nil` if another process renamed or created the file in the meantime.
    private static func openPart(
        _ partPath: String, for target: OutputTarget, of url: String,
        _ onLoss: @escaping @Sendable (PartialFileLoss) -> Void
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
        case .foreign(let problem):
            return try await replacing(partPath, problem, for: target, of: url, onLoss)
        }
        try file.lock()
        // Another download may have completed the file between opening and locking.
        guard let named = FileState(linkAt: partPath), try file.state().isSame(as: named) else { return nil }
        return try PartialFile(target: target, file: file, path: partPath, canBeResumed: true, url: url, onLoss: onLoss)
    }

    private enum Existing {
        case nothing
        case own(TransferFile)
        /// A file of another user, a file that another user could have changed, or a file that is not regular.
        case foreign(AdoptionError.Problem)
    }

    private static func existing(at path: String) async -> Existing {
        do {
            let file = try await TransferFile.opening(path, O_RDWR | O_NOFOLLOW, .create)
            return if let problem = try file.state().exposure(to: 0o022) { .foreign(problem) } else { .own(file) }
        } catch SessionError.file(.failed(_, _, code: ENOENT)) {
            return .nothing
        } catch {
            return .foreign(FileState(linkAt: path)?.exposure(to: 0o022) ?? .inaccessible)
        }
    }

    /// Replaces a foreign file with a new one.
    ///
    /// In a folder such as `/tmp`, only the owner can remove a file. The new file then keeps a random name, which no
    /// later download finds.
    private static func replacing(
        _ partPath: String, _ problem: AdoptionError.Problem, for target: OutputTarget, of url: String,
        _ onLoss: @escaping @Sendable (PartialFileLoss) -> Void
    ) async throws -> PartialFile {
        let path = partPath + "-" + String(UInt64.random(in: .min ... .max), radix: 36)
        let file = try await TransferFile.creating(path, mode: mode(for: target))
        try file.lock()
        let isNamed = rename(path, partPath) == 0
        onLoss(PartialFileLoss(path: partPath, problem: problem, fate: isNamed ? .replaced : .stays))
        return try PartialFile(
            target: target, file: file, path: isNamed ? partPath : path, canBeResumed: isNamed, url: url, onLoss: onLoss
        )
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
