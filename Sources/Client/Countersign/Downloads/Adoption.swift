// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ErrorExplanations
import HTTPTypes
import NIOCore
import POSIX

/// The continuation of a file that another program, such as curl or wget, left incomplete under its final name.
///
/// The file has no note, so its end is compared with the same range of the server's representation. If they are equal,
/// the file becomes the partial file of this download; otherwise it stays as it is. A replacement that has the same
/// bytes in this range, and a modification date before the file's, is not detected.
struct Adoption {
    let session: any RequestSender
    let request: SessionRequest
    let path: String
    /// The URL of the request, for the note.
    let url: String

    /// The maximum number of bytes that are compared, at the end of the file.
    private static let overlap = 64 * 1024

    /// Compares the file, and renames it to the partial file if it is incomplete.
    ///
    /// - Returns: The file if it is complete; `nil` if there is no file of another program, or if it is a partial file
    ///   now.
    /// - Throws: ``AdoptionError``; any error of ``RequestSender/download(_:to:onConflict:resumptions:)``.
    func run() async throws -> DownloadedFile? {
        let target = try await TransferFile.runBlocking { [path] in OutputTarget(path) }
        guard let file = try await candidate(at: target) else { return nil }
        let state = try file.state()
        guard state.isPrivateFile else { throw SessionError.file(.exposed(path: path)) }
        let range = max(0, state.length - Self.overlap)..<state.length
        let response = try await session.send(asking(for: range))
        let total = try await total(of: response, for: range)
        let validator = try validator(of: response, for: state)
        try await compare(file.read(at: range.lowerBound, count: range.count), with: response, from: range.lowerBound)
        if total == state.length {
            return DownloadedFile(
                path: target.path, length: state.length, resumedFrom: state.length, discardedLength: 0,
                keepsOwner: true, url: response.url, headerFields: response.headerFields,
                connection: response.connection)
        }
        let note = ResumptionNote(url: url, validator: validator, total: total)
        guard try await PartialFile.adopt(target, if: state, note) else { throw problem(.changed) }
        return nil
    }

    /// Opens the file if it may come from another program: it is regular, belongs to this user and is not empty, and no
    /// download of this library was interrupted.
    private func candidate(at target: OutputTarget) async throws -> TransferFile? {
        guard let state = target.state, state.isRegular, state.length > 0, state.owner == UInt32(geteuid()),
            FileState(linkAt: PartialFile.path(for: target)) == nil
        else { return nil }
        return try await TransferFile.opening(target.path, O_RDONLY | O_NOFOLLOW, .read)
    }

    private func asking(for range: Range<Int>) -> SessionRequest {
        var request = request
        if request.explicitFields[.acceptEncoding] == nil { request.explicitFields[.acceptEncoding] = "identity" }
        request.explicitFields[.range] = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
        request.explicitFields[.ifRange] = nil
        return request
    }

    /// Returns the length of the server's representation, if the response has exactly the range.
    private func total(of response: SessionResponse, for range: Range<Int>) async throws -> Int? {
        let field = response.headerFields[.contentRange]
        switch (response.status.code, ContentRange(field)) {
        case (206, .part(range.lowerBound, let last, let total)?) where last == range.upperBound - 1:
            return total
        case (206, .part(range.lowerBound, let last, let total)?) where total == last + 1:
            throw problem(.longer)
        case (206, _):
            throw SessionError.response(
                .wrongContentRange(Redaction.url(response.url), offset: range.lowerBound, field: field))
        case (416, _):
            throw problem(.longer)
        case (200..<300, _):
            throw problem(.noRanges)
        default:
            throw SessionError.response(.downloadRefused(try await response.summary()))
        }
    }

    private func validator(of response: SessionResponse, for state: FileState) throws -> StrongValidator {
        let fields = response.headerFields
        guard let validator = StrongValidator(of: fields) else { throw problem(.noValidator) }
        // A program that was interrupted leaves the time of its last write; wget sets the server's time at the end.
        if let modified = fields[.lastModified].flatMap(StrongValidator.time), modified > state.modification[0] {
            throw problem(.modified)
        }
        return validator
    }

    private func compare(_ own: ByteBuffer, with response: SessionResponse, from start: Int) async throws {
        let other = try await response.body.collect(upTo: Self.overlap)
        guard own != other else { return }
        let pairs = zip(own.readableBytesView, other.readableBytesView)
        let equal = pairs.prefix { $0 == $1 }.count
        throw problem(.different(offset: start + equal))
    }

    private func problem(_ problem: AdoptionError.Problem) -> AdoptionError {
        AdoptionError(path: path, problem: problem)
    }
}

/// The reason for which a file of another program is not continued.
///
/// The file is unchanged.
package struct AdoptionError: Error, Hashable {
    package enum Problem: Hashable, Sendable {
        /// The server does not send ranges.
        case noRanges
        /// The server sends no strong validator.
        case noValidator
        /// The representation was modified after the file was written.
        case modified
        /// The bytes differ from this offset.
        case different(offset: Int)
        /// The file is longer than the representation.
        case longer
        /// The file changed during the comparison.
        case changed
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
        [AdoptionError(path: "/home/me/disk.img", problem: .different(offset: 4_096))]
    }
}

extension AdoptionError.Problem {
    /// The reason, for the end of a sentence that names the file.
    fileprivate var clause: String {
        switch self {
        case .noRanges: "the server does not send a part of the resource"
        case .noValidator: "the server does not identify the version of the resource (ETag, Last-Modified)"
        case .modified: "the resource was modified after the file was written"
        case .different(let offset): "the file and the resource differ at byte \(offset)"
        case .longer: "the file is longer than the resource"
        case .changed: "another program changed it"
        }
    }
}
