// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ErrorExplanations
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import POSIX

/// A file that another program, such as curl or wget, left incomplete under its final name, and that is continued
/// there.
///
/// No note identifies the file. Its end is therefore compared with the server's representation, and only bytes behind
/// the end are written. Nothing truncates, renames or removes the file, so that an error or a killed process costs no
/// byte of it, and a later run continues it in the same way. A copy would need the time and the disk space of a file
/// that may have many gigabytes. A replacement that has the same bytes in the compared range, and no modification date
/// after the file's, is not detected.
final class AdoptedFile: IncompleteFile {
    /// The path, for errors.
    private let path: String
    private let file: TransferFile
    private let state: FileState
    private let box: NIOLockedValueBox<Progress>

    private struct Progress {
        /// The offset of the next byte that is compared or written.
        var offset: Int
        /// The representation; `nil` before the first response.
        var note: ResumptionNote?
    }

    /// The path of the file, after symbolic links.
    var destination: String { file.path }
    var resumedFrom: Int { state.length }
    var discardedLength: Int { 0 }
    /// The number of bytes that are compared.
    var comparedLength: Int { min(state.length, Self.maximumOverlap) }

    private init(path: String, file: TransferFile, state: FileState) {
        (self.path, self.file, self.state) = (path, file, state)
        box = NIOLockedValueBox(Progress(offset: max(0, state.length - Self.maximumOverlap)))
    }

    /// Opens and locks the file at a path.
    ///
    /// - Returns: `nil` if there is no file, an empty one, or the partial file of an earlier download.
    /// - Throws: ``AdoptionError``; ``SessionError`` of ``FileError/failed(path:_:code:)``.
    static func open(_ path: String) async throws -> AdoptedFile? {
        let target = try await TransferFile.runBlocking { OutputTarget(path) }
        guard let state = target.state, state.isRegular, state.length > 0,
            FileState(linkAt: PartialFile.path(for: target)) == nil
        else { return nil }
        // The group of a umask of 002 is usually the user's own, and can change the file anyway.
        if let problem = state.exposure(to: 0o002) { throw AdoptionError(path: path, problem: problem) }
        let file = try await TransferFile.opening(target.path, O_RDWR | O_NOFOLLOW, .write)
        try file.lock()
        guard try file.state() == state else { throw AdoptionError(path: path, problem: .fileChanged) }
        return AdoptedFile(path: path, file: file, state: state)
    }

    /// Unlocks the file before its last reference is released.
    func unlock() { file.unlock() }

    /// Requests the end of the file and the bytes behind it.
    ///
    /// - Parameters:
    ///   - request: The request for the resource.
    ///   - url: The URL of the request, for the note.
    ///   - session: The sender of the request.
    /// - Returns: The response, whose body has not been compared.
    /// - Throws: ``AdoptionError``; ``SessionError`` of ``ResponseError/downloadRefused(_:)``; any error that sending
    ///   throws.
    func start(_ request: SessionRequest, of url: String, over session: any RequestSender) async throws
        -> SessionResponse
    {
        let offset = box.withLockedValue { $0.offset }
        let response = try await session.send(request.asking(from: offset, of: nil))
        let total: Int?
        switch (response.status.code, ContentRange(response.headerFields[.contentRange])) {
        case (206, .part(offset, _, let length?)?) where length < state.length: throw problem(.fileTooLong)
        case (206, .part(offset, let last, let length)?) where last >= state.length - 1: total = length
        case (206, _): throw problem(.wrongRange)
        case (416, _): throw problem(.fileTooLong)
        case (200..<300, _): throw problem(.noRanges)
        default: throw SessionError.response(.downloadRefused(try await response.summary()))
        }
        let validator = try validator(of: response)
        box.withLockedValue { $0.note = ResumptionNote(url: url, validator: validator, total: total) }
        return response
    }

    private func validator(of response: SessionResponse) throws -> StrongValidator {
        let fields = response.headerFields
        guard let validator = StrongValidator(of: fields) else { throw problem(.noValidator) }
        // A program that was interrupted leaves the time of its last write; wget sets the server's time at the end.
        if let modified = fields[.lastModified].flatMap(StrongValidator.time), modified > state.modification[0] {
            throw problem(.resourceModified)
        }
        return validator
    }

    func part() -> DownloadRun.Part? {
        let progress = box.withLockedValue { $0 }
        return progress.note.map { DownloadRun.Part(length: progress.offset, note: $0) }
    }

    /// Refuses another representation, or the same one from its first byte.
    func begin(_ validator: StrongValidator?, total: Int?, because problem: AdoptionError.Problem) throws {
        throw self.problem(problem)
    }

    /// Compares the bytes before the end of the file, and writes the others.
    func write(_ bytes: ByteBuffer, at offset: Int) async throws {
        if let difference = try await file.write(bytes, at: offset, comparingUpTo: state.length) {
            throw problem(.contentDiffers(offset: difference))
        }
        box.withLockedValue { $0.offset = offset + bytes.readableBytes }
    }

    func commit(length: Int) async throws -> Bool {
        try await file.synchronize()
        let state = try file.state()
        guard state.length == length,
            FileState(linkAt: destination)?.isSame(as: state) ?? false
        else { throw problem(.fileChanged) }
        return true
    }

    func problem(_ problem: AdoptionError.Problem) -> AdoptionError {
        AdoptionError(path: path, problem: problem)
    }
}

/// The reason for which a file of another program is not continued.
///
/// The file keeps its bytes. A partial file is not resumed for the same reasons (``PartialFileLoss``).
package struct AdoptionError: Error, Hashable {
    package enum Problem: Hashable, Sendable {
        /// The request has a body, or a method other than GET.
        case notRepeatable
        /// The file is a symbolic link.
        case symbolicLink
        /// The file is a folder, a pipe or a device.
        case notRegular
        /// Another user owns the file.
        case otherOwner
        /// Other users can change the file. Holds its permissions.
        case writableByOthers(UInt32)
        /// The file has a second name.
        case secondName
        /// The file cannot be opened.
        case inaccessible
        /// The file belongs to the download of another URL.
        case otherURL
        /// No note says which representation the file belongs to.
        case noNote
        /// The server does not send ranges.
        case noRanges
        /// The server sent a range that was not requested.
        case wrongRange
        /// The server sends no strong validator.
        case noValidator
        /// The representation was modified after the file was written.
        case resourceModified
        /// The bytes differ from this offset.
        case contentDiffers(offset: Int)
        /// The file is longer than the representation.
        case fileTooLong
        /// The file changed during the download.
        case fileChanged
    }

    let path: String
    let problem: Problem
}

extension AdoptionError: CataloguedError {
    package var explanation: ErrorExplanation {
        ErrorExplanation(
            "file.not-continued", "\(path) is not continued: \(problem.clause).",
            reason: "A file is continued only if the server's resource is the one that it began with.",
            advice: "Leave out -C to fetch it again and replace the file, or write to another file.")
    }

    package static var examples: [AdoptionError] {
        [AdoptionError(path: "/home/me/disk.img", problem: .contentDiffers(offset: 4_096))]
    }
}

extension AdoptionError.Problem {
    /// The reason, for the end of a sentence that names the file.
    var clause: String {
        switch self {
        case .notRepeatable: "the request has a body or a method other than GET"
        case .symbolicLink: "it is a symbolic link"
        case .notRegular: "it is not a regular file"
        case .otherOwner: "another user owns it"
        case .writableByOthers(let permissions): "other users can change it (mode \(String(permissions, radix: 8)))"
        case .secondName: "it has a second name (hard link)"
        case .inaccessible: "it cannot be opened"
        case .otherURL: "it belongs to the download of another URL"
        case .noNote: "no note says which resource it belongs to"
        case .noRanges: "the server does not send a part of the resource"
        case .wrongRange: "the server sent another part of the resource than the requested one"
        case .noValidator: "the server does not identify the version of the resource (ETag, Last-Modified)"
        case .resourceModified: "the resource was modified after the file was written"
        case .contentDiffers(let offset): "the file and the resource differ at byte \(offset)"
        case .fileTooLong: "the file is longer than the resource"
        case .fileChanged: "another program changed it"
        }
    }
}
