// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation
public import HTTPTypes

/// A file that was downloaded completely.
public struct DownloadedFile: Sendable {
    /// The path of the file, after symbolic links.
    public let path: String
    /// The length of the file, in bytes.
    public let length: Int
    /// The number of bytes that an earlier, interrupted download had left.
    public let resumedFrom: Int
    /// Whether the file belongs to the owner of the file that it replaced; `true` where it replaced none.
    ///
    /// Only the superuser can give a file to another user. Without that right, the file belongs to the user who downloads it.
    public let keepsOwner: Bool
    /// The URL that delivered the file, after redirects.
    public let url: String
    /// The header fields of the last response.
    public let headerFields: HTTPFields
    /// The connection of the last response.
    public let connection: ConnectionReport
}

extension Client {
    /// Downloads a resource into a file, and continues what an interrupted download left.
    ///
    /// - Parameters:
    ///   - url: An absolute URL of `http` or `https`.
    ///   - path: The path at which the complete file appears. It replaces a file of that name.
    /// - Returns: The downloaded file.
    /// - Throws: As ``download(_:to:resumptions:)-(_,String,_)``.
    @discardableResult
    public func download(_ url: String, to path: String) async throws -> DownloadedFile {
        try await download(Request(url: url), to: path)
    }

    /// Downloads the response of a request into a file, and continues what an interrupted download left.
    ///
    /// Until the file is complete, its bytes are in `PATH.part`, and a note beside it names the representation that they are a part of. A
    /// part that another user may have written (another owner, a link, a second name, a right to write for others) is replaced, not
    /// continued. The file keeps the owner, the group and the rights of the one that it replaces, as far as the system permits
    /// (``DownloadedFile/keepsOwner``). In a folder that others can write, another user's file is not replaced: the download fails with
    /// `EACCES`.
    ///
    /// A GET continues such a part by `Range` and `If-Range` (RFC 9110 sections 13.1.5 and 14.2), if the server named the representation by
    /// a strong validator; otherwise the download begins anew. The file holds the bytes that the server sent, codings included. The request
    /// therefore asks for none by `Accept-Encoding: identity`, unless it has a field `Accept-Encoding`.
    ///
    /// - Parameters:
    ///   - request: The request to send. Its field `Range` is ignored.
    ///   - path: The path at which the complete file appears. It replaces a file that is there; a symbolic link is followed.
    ///   - resumptions: How often a GET resumes by itself after its connection was lost in the body; 0 for never.
    /// - Returns: The downloaded file.
    /// - Throws: ``SessionError`` of ``ResponseError/downloadRefused(_:)`` for every status but success,
    ///   ``ResponseError/wrongContentRange(_:offset:field:)``, ``FileError/failed(path:_:code:)`` with the path,
    ///   ``FileError/notRegular(path:)`` where the path is that of a folder or a device, and what ``send(_:)`` and reading a body throw.
    @discardableResult
    public func download(_ request: Request, to path: String, resumptions: Int = 3) async throws -> DownloadedFile {
        try await DownloadRun(session: self, request: request, path: path, resumptions: resumptions) { _ in }.run()
    }

    /// Starts a download as a transfer, which reports its progress.
    ///
    /// - Parameters:
    ///   - request: The request to send. Its field `Range` is ignored.
    ///   - path: The path at which the complete file appears. It replaces a file that is there.
    ///   - resumptions: How often a GET resumes by itself after its connection was lost in the body; 0 for never.
    /// - Returns: A transfer whose value is the file, or throws what ``download(_:to:resumptions:)-(_,String,_)`` throws.
    public func beginDownload(
        _ request: Request, to path: String, resumptions: Int = 3
    ) -> Transfer<DownloadedFile> {
        Transfer { report in
            let run = DownloadRun(
                session: self, request: request, path: path, resumptions: resumptions, report: report)
            return try await run.run()
        }
    }
}

/// Downloads of a `URL` of Foundation.
extension Client {
    /// Downloads a resource into a file, and continues what an interrupted download left.
    ///
    /// - Parameters:
    ///   - url: An absolute URL of `http` or `https`.
    ///   - file: A file URL: the place at which the complete file appears. It replaces a file that is there.
    /// - Returns: The downloaded file.
    /// - Throws: As ``download(_:to:)-(String,String)``; ``SessionError`` of ``RequestError/invalidURL(_:_:)`` where `file` has another
    ///   scheme than `file`, or names another host.
    @discardableResult
    public func download(_ url: URL, to file: URL) async throws -> DownloadedFile {
        try await download(Request(url: url), to: file)
    }

    /// Downloads the response of a request into a file, and continues what an interrupted download left.
    ///
    /// - Parameters:
    ///   - request: The request to send. Its field `Range` is ignored.
    ///   - file: A file URL: the place at which the complete file appears. It replaces a file that is there.
    ///   - resumptions: How often a GET resumes by itself after its connection was lost in the body; 0 for never.
    /// - Returns: The downloaded file.
    /// - Throws: As ``download(_:to:resumptions:)-(_,String,_)``; ``SessionError`` of ``RequestError/invalidURL(_:_:)`` where `file` has
    ///   another scheme than `file`, or names another host.
    @discardableResult
    public func download(_ request: Request, to file: URL, resumptions: Int = 3) async throws -> DownloadedFile {
        try await download(request, to: try ConfigurationFile(file).path, resumptions: resumptions)
    }
}
