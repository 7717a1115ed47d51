// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import HTTPTypes

/// A file that was downloaded completely.
public struct DownloadedFile: Sendable {
    /// The path of the file, after symbolic links.
    public let path: String
    /// The length, in bytes.
    public let length: Int
    /// The number of bytes that an earlier, interrupted download had left.
    public let resumedFrom: Int
    /// Whether it belongs to the owner of the file that it replaced; `true` where it replaced none.
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
    /// Gets a resource into a file, and goes on with what an interrupted download left.
    ///
    /// - Parameters:
    ///   - url: An absolute URL of `http` or `https`.
    ///   - path: The path at which the complete file appears. It replaces a file of that name.
    /// - Returns: The downloaded file.
    /// - Throws: ``SessionError``; `CancellationError` where the task is cancelled; what a handler throws.
    @discardableResult
    public func download(_ url: String, to path: String) async throws -> DownloadedFile {
        try await download(Request(url: url), to: path)
    }

    /// Gets the response of a request into a file, and goes on with what an interrupted download left.
    ///
    /// Until it is whole, it is `PATH.part`, with a note beside it on which representation it is of. A part that another user may have
    /// written (another owner, a link, a second name, a right to write for others) is replaced, not continued. The file keeps the owner,
    /// the group and the rights of the one that it replaces, as far as the system permits (``DownloadedFile/keepsOwner``). In a folder
    /// that others can write, another user's file is not replaced: the download fails with `EACCES`. What a GET left is gone on with
    /// by `Range` and `If-Range` (RFC 9110 sections 13.1.5 and 14.2), if the server named the representation by a strong validator;
    /// otherwise it begins anew. The bytes are those that the server sent, codings included: `Accept-Encoding: identity` asks for
    /// none.
    ///
    /// - Parameters:
    ///   - request: The request to send. Its field `Range` is ignored.
    ///   - path: Where the file appears once it is whole, in the place of one that is there; a link is followed.
    ///   - resumptions: How often a GET resumes by itself after its connection was lost in the body.
    /// - Returns: The downloaded file.
    /// - Throws: ``SessionError`` of ``ResponseError/downloadRefused(_:)`` for every status but success,
    ///   ``FileError/failed(path:_:code:)`` with the path, ``ResponseError/wrongContentRange(_:offset:field:)``, and what
    ///   ``send(_:)`` and reading a body throw.
    @discardableResult
    public func download(_ request: Request, to path: String, resumptions: Int = 3) async throws -> DownloadedFile {
        try await DownloadRun(session: self, request: request, path: path, resumptions: resumptions) { _ in }.run()
    }

    /// Starts a download as a transfer, which reports its progress.
    ///
    /// - Parameters:
    ///   - request: The request to send. Its field `Range` is ignored.
    ///   - path: The path at which the complete file appears.
    ///   - resumptions: How often a GET resumes by itself after its connection was lost in the body.
    /// - Returns: A transfer whose value is the file.
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
