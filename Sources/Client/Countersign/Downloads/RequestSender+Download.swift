// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation
public import HTTPTypes
import PrivateFiles

/// A file that was downloaded completely.
public struct DownloadedFile: Sendable {
    /// The file URL of the file, after symbolic links.
    public var fileURL: URL { URL(filePath: path, directoryHint: .notDirectory) }
    /// The path of the file, after symbolic links.
    package let path: String
    /// The length of the file, in bytes.
    public let length: Int
    /// The number of bytes in the file that an earlier, interrupted download had left; 0 if it was not resumed.
    public let resumedFrom: Int
    /// The number of bytes that an earlier download had left, and that were discarded.
    ///
    /// They are discarded if they belong to another URL (``DownloadConflict/discard``) or to an earlier representation,
    /// if their server sent no strong validator for them, if they are more bytes than the representation has, or if
    /// another program changed their end.
    public let discardedLength: Int
    /// Whether the file has the owner of the file that it replaced; `true` if it replaced none.
    ///
    /// Only the superuser can give a file to another user. Without that right, the file belongs to the user who
    /// downloads it.
    public let keepsOwner: Bool
    /// The URL that delivered the file, after redirects.
    public let url: String
    /// The header fields of the last response.
    public let headerFields: HTTPFields
    /// The connection of the last response.
    public let connection: ConnectionReport
    /// The number of bytes of another program that were compared before the file was continued; 0 otherwise.
    package let comparedLength: Int
}

extension DownloadedFile: CustomStringConvertible, CustomReflectable {
    /// The path, the length and the URL, without the values of secret parameters.
    public var description: String { "\(path): \(length) bytes from \(Redaction.url(url))" }

    /// A mirror that shows only the description, because the header fields may contain secrets.
    public var customMirror: Mirror { Mirror(self, children: ["file": description]) }
}

/// The action if an earlier download of another URL has left a partial file for the same path.
@nonexhaustive
public enum DownloadConflict: Hashable, Sendable {
    /// Throws ``FileError/partialFileOfAnotherURL(path:)`` before a request is sent, and preserves the partial file.
    case fail
    /// Discards the partial file; ``DownloadedFile/discardedLength`` is its length.
    case discard
}

extension RequestSender {
    /// Downloads a resource into a file, and resumes an interrupted download.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` URL.
    ///   - file: The file URL at which the complete file appears. It replaces an existing file.
    /// - Returns: The downloaded file.
    /// - Throws: The same errors as ``download(_:to:onConflict:resumptions:)``.
    @discardableResult
    public func download(_ url: String, to file: URL) async throws -> DownloadedFile {
        try await download(SessionRequest(url: url), to: file)
    }

    /// Downloads a resource into a file, and resumes an interrupted download.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` URL.
    ///   - file: The file URL at which the complete file appears. It replaces an existing file.
    /// - Returns: The downloaded file.
    /// - Throws: The same errors as ``download(_:to:onConflict:resumptions:)``.
    @discardableResult
    public func download(_ url: URL, to file: URL) async throws -> DownloadedFile {
        try await download(SessionRequest(url: url), to: file)
    }

    /// Downloads the response of a request into a file, and resumes an interrupted download.
    ///
    /// Until the file is complete, its bytes are in a file of the same name with the suffix `.part`, and a note next to
    /// it identifies the representation that they belong to. A partial file that another user may have written (another
    /// owner, a link, a second name, write permission for others) is replaced, not resumed. The file keeps the owner,
    /// the group and the permissions of the file that it replaces, as far as the system permits
    /// (``DownloadedFile/keepsOwner``). In a folder that others can write, another user's file is not replaced: the
    /// download fails with `EACCES`.
    ///
    /// A GET request resumes a partial file of the same URL by `Range` and `If-Range` (RFC 9110 sections 13.1.5 and
    /// 14.2), if the server sent a strong validator for the representation; otherwise the download restarts
    /// (``DownloadedFile/discardedLength``). A later run of the program resumes the file in the same way, even if the
    /// earlier run was killed, which loses at most the last 256 KiB. The file holds the bytes
    /// that the server sent, including content codings. The request therefore asks for no coding by
    /// `Accept-Encoding: identity`, unless it has its own `Accept-Encoding` field. If the partial file changed since a
    /// download left it, or the earlier run was killed, its last 64 KiB are requested too, and the download restarts if
    /// they differ. It also restarts if the partial file is longer than the resource.
    ///
    /// - Parameters:
    ///   - request: The request to send. Its `Range` field is ignored.
    ///   - file: The file URL at which the complete file appears. It replaces an existing file; a symbolic link is
    ///     followed.
    ///   - conflict: The action if the partial file belongs to another URL.
    ///   - resumptions: The maximum number of automatic resumptions of a GET request whose connection was lost in the
    ///     body; 0 for none.
    /// - Returns: The downloaded file.
    /// - Throws: ``SessionError`` of ``RequestError/invalidURL(_:_:)`` if `file` does not name a file on this machine,
    ///   of ``ResponseError/downloadRefused(_:)`` for every status but success,
    ///   ``ResponseError/wrongContentRange(_:offset:field:)``, ``FileError/failed(path:_:code:)`` with the path,
    ///   ``FileError/notRegular(path:)`` if the file is a folder or a device,
    ///   ``FileError/partialFileOfAnotherURL(path:)`` unless `conflict` is ``DownloadConflict/discard``; any error that
    ///   ``send(_:)`` or reading a body throws.
    @discardableResult
    public func download(
        _ request: SessionRequest, to file: URL, onConflict conflict: DownloadConflict = .fail, resumptions: Int = 3
    ) async throws -> DownloadedFile {
        let path = try PrivateFile<SessionError>.path(of: file)
        return try await run(request, to: path, conflict, resumptions) { _ in }
    }

    /// Starts a download that reports its progress.
    ///
    /// - Parameters:
    ///   - request: The request to send. Its `Range` field is ignored.
    ///   - file: The file URL at which the complete file appears. It replaces an existing file.
    ///   - conflict: The action if the partial file belongs to another URL.
    ///   - resumptions: The maximum number of automatic resumptions of a GET request whose connection was lost in the
    ///     body; 0 for none.
    /// - Returns: A transfer whose value is the file. Its value throws any error that
    ///   ``download(_:to:onConflict:resumptions:)`` throws.
    public func beginDownload(
        _ request: SessionRequest, to file: URL, onConflict conflict: DownloadConflict = .fail, resumptions: Int = 3
    ) -> Transfer<DownloadedFile> {
        Transfer { report in
            let path = try PrivateFile<SessionError>.path(of: file)
            return try await run(request, to: path, conflict, resumptions, report)
        }
    }

    /// Starts a download to a path, which errors name as it is.
    ///
    /// - Parameters:
    ///   - request: The request to send. Its `Range` field is ignored.
    ///   - path: The path at which the complete file appears. It replaces an existing file.
    ///   - conflict: The action if the partial file belongs to another URL.
    ///   - adopts: Whether a file that another program left incomplete at the path is continued, and no other file is
    ///     replaced unless it is empty or has a partial file; the value then also throws ``AdoptionError``.
    ///   - onLoss: Receives each partial file that is not resumed, before its bytes are discarded.
    /// - Returns: A transfer whose value is the file.
    package func beginDownload(
        _ request: SessionRequest, toPath path: String, onConflict conflict: DownloadConflict = .fail,
        adopts: Bool = false, onLoss: @escaping @Sendable (PartialFileLoss) -> Void = { _ in }
    ) -> Transfer<DownloadedFile> {
        Transfer { report in try await run(request, to: path, conflict, 3, adopts: adopts, onLoss: onLoss, report) }
    }

    private func run(
        _ request: SessionRequest, to path: String, _ conflict: DownloadConflict, _ resumptions: Int,
        adopts: Bool = false, onLoss: @escaping @Sendable (PartialFileLoss) -> Void = { _ in },
        _ report: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> DownloadedFile {
        try await DownloadRun(
            session: self, request: request, path: path, conflict: conflict, resumptions: resumptions, adopts: adopts,
            onLoss: onLoss, report: report
        ).run()
    }
}
