// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation
import NIOCore
import PrivateFiles

extension SessionRequestBody {
    /// Makes a body from a file, which is read during sending, and again each time the body is sent again.
    ///
    /// A file that is not regular, such as a pipe, is sent in chunks and only once.
    ///
    /// - Parameter file: A file URL; the file is opened when the body is sent.
    /// - Returns: A body with the file's length. The request fails with ``FileError/changed(path:)`` if the file
    ///   changes before it is sent completely.
    /// - Throws: ``SessionError`` of ``FileError/failed(path:_:code:)`` if there is no file, and of
    ///   ``RequestError/invalidURL(_:_:)`` if the URL does not name a file on this machine.
    public static func file(_ file: URL) throws(SessionError) -> SessionRequestBody {
        try .file(atPath: try PrivateFile<SessionError>.path(of: file))
    }

    /// Makes a body from the file at a path, which errors name as it is.
    package static func file(atPath path: String) throws(SessionError) -> SessionRequestBody {
        let state = try TransferFile.state(of: path)
        guard state.isRegular else { return .oneShot(length: nil, PipeParts(path: path)) }
        return SessionRequestBody(length: state.length) { sink in
            try await FileUpload(path: path, length: state.length).run(sink)
        }
    }
}

/// Sends a file, which must not change while it is sent.
private struct FileUpload {
    /// The size of a part in bytes: large enough that thread switches cost little, small enough for many concurrent
    /// uploads.
    static let partSize = 128 * 1024

    let path: String
    let length: Int

    func run(_ sink: SessionRequestBody.Sink) async throws {
        let file = try await TransferFile.reading(path)
        let before = try file.state()
        guard before.length == length else { throw SessionError.file(.changed(path: path)) }
        var offset = 0
        var part = try await read(file, at: offset)
        while offset + part.readableBytes < length {
            // The next part is read while this one is being sent.
            let next = offset + part.readableBytes
            async let following = read(file, at: next)
            try await sink(part)
            (part, offset) = (try await following, next)
        }
        // Checked before the last part, so that the server never receives a complete body with mixed content.
        guard try file.state() == before else { throw SessionError.file(.changed(path: path)) }
        if part.readableBytes > 0 { try await sink(part) }
    }

    private func read(_ file: TransferFile, at offset: Int) async throws -> ByteBuffer {
        let count = min(Self.partSize, length - offset)
        let part = try await file.read(at: offset, count: count)
        guard part.readableBytes == count else { throw SessionError.file(.changed(path: path)) }
        return part
    }
}

/// The parts that are read from a pipe.
private struct PipeParts: AsyncSequence, Sendable {
    let path: String

    struct AsyncIterator: AsyncIteratorProtocol {
        let path: String
        var file: TransferFile?

        mutating func next() async throws -> ByteBuffer? {
            let open: TransferFile
            if let file { open = file } else { open = try await TransferFile.reading(path) }
            file = open
            let part = try await open.readNext(atMost: FileUpload.partSize)
            return part.readableBytes > 0 ? part : nil
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(path: path) }
}
