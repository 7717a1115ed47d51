// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import EssentialFoundation
import POSIX
import PrivateFiles

/// A server memory in a folder: a small JSON file for each server, named by host and port.
///
/// Several programs may use one folder at once. The folder has the permissions 0700, and the files 0600.
public struct FileServerMemory: ServerMemory {
    private let folder: String

    /// The maximum size of a file, in bytes.
    private static let sizeLimit = 4096

    /// Makes a memory in a folder.
    ///
    /// - Parameter folder: A file URL. The folder is created with its parents when the first key is remembered.
    /// - Throws: ``SessionError`` of ``RequestError/invalidURL(_:_:)`` if the URL does not name a folder on this
    ///   machine.
    public init(folder: URL) throws(SessionError) {
        self.folder = try PrivateFile<SessionError>.path(of: folder)
    }

    /// Returns the remembered key of a server; `nil` if none is remembered.
    ///
    /// - Throws: ``SessionError`` of ``FileError/exposed(path:)`` if other users may enter the folder or read the file,
    ///   of ``FileError/malformedServer(path:)`` for a file that is not an entry, because ignoring it would accept any
    ///   key, and of ``FileError/failed(path:_:code:)`` if the system cannot read it.
    public func server(at endpoint: HostEndpoint) async throws -> RememberedServer? {
        let path = path(for: endpoint)
        let bytes = try await TransferFile.runBlocking {
            try PrivateFile<SessionError>.read(path, limit: Self.sizeLimit)
        }
        guard let bytes else { return nil }
        let decoder = JSONDecoder()
        // Foundation's own strategy converts a date that does not exist into another one.
        decoder.dateDecodingStrategy = .custom { decoder in
            guard let time = InternetTime(try decoder.singleValueContainer().decode(String.self)) else {
                throw SessionError.file(.malformedServer(path: path))
            }
            return time.date
        }
        guard let server = try? decoder.decode(RememberedServer.self, from: Data(bytes)) else {
            throw SessionError.file(.malformedServer(path: path))
        }
        return server
    }

    /// Remembers a server's key unless one is remembered already, and returns the remembered key.
    ///
    /// - Throws: The same errors as ``server(at:)``, and ``SessionError`` of ``FileError/failed(path:_:code:)`` if the
    ///   system cannot write the file.
    public func firstSeen(
        _ server: RememberedServer, at endpoint: HostEndpoint, verdict: Verdict
    ) async throws -> RememberedServer? {
        let encoder = JSONEncoder()
        (encoder.dateEncodingStrategy, encoder.outputFormatting) = (.iso8601, [.sortedKeys, .withoutEscapingSlashes])
        let (path, bytes) = (path(for: endpoint), Array(try encoder.encode(server)) + [UInt8(ascii: "\n")])
        while true {
            if let known = try await self.server(at: endpoint) { return known }
            // If two programs see a server for the first time at once, only one of them creates the file.
            let isNew = try await TransferFile.runBlocking { try PrivateFile<SessionError>.create(path, bytes) }
            if isNew { return server }
        }
    }

    /// Removes the remembered key of a server, if there is one.
    ///
    /// - Throws: ``SessionError`` of ``FileError/failed(path:_:code:)`` if the system cannot remove the file.
    public func forget(_ endpoint: HostEndpoint) async throws {
        let path = path(for: endpoint)
        try await TransferFile.runBlocking {
            guard unlink(path) == 0 || errno == ENOENT else {
                throw SessionError.file(.failed(path: path, .remove, code: errno))
            }
        }
    }

    private func path(for endpoint: HostEndpoint) -> String {
        // Some systems do not allow the colons of an IPv6 address in file names.
        "\(folder)/\(endpoint.host.description.replacing(":", with: "-"))_\(endpoint.port).json"
    }
}

extension SessionError: PrivateFileFailure {
    package static func exposed(_ path: String) -> Self { .file(.exposed(path: path)) }
    package static func refused(_ path: String, code: Int32) -> Self { .file(.failed(path: path, .write, code: code)) }
    package static func notAFile(_ url: String) -> Self { .request(.invalidURL(url, .notAFile)) }
}
