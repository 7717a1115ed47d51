// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust
import CommandSupport
package import Countersign
package import ErrorExplanations
import EssentialFoundation
import POSIX

/// The servers whose keys were trusted on first use: a small JSON file for each, named by host and port.
package struct KnownServers: ServerMemory {
    private let folder: URL

    package init(environment: [String: String]) {
        folder = ConfigurationFolder.url(environment).appending(path: "servers", directoryHint: .isDirectory)
    }

    package func firstSeen(_ server: RememberedServer, at endpoint: Endpoint) throws -> RememberedServer {
        if let known = try self.server(at: endpoint) { return known }
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let encoder = JSONEncoder()
        (encoder.dateEncodingStrategy, encoder.outputFormatting) = (.iso8601, [.sortedKeys, .withoutEscapingSlashes])
        let draft = folder.appending(path: ".draft-" + UUID().uuidString)
        defer { unlink(draft.path) }
        try OutputFile.write(
            String(decoding: try encoder.encode(server), as: UTF8.self) + "\n", to: draft.path, mode: 0o600)
        // If two commands see a server for the first time at once, only one link succeeds: it never replaces a file.
        guard link(draft.path, file(of: endpoint).path) == 0 else {
            let code = errno
            if code == EEXIST, let known = try self.server(at: endpoint) { return known }
            throw FileError(.create, path: file(of: endpoint).path, code: code)
        }
        return server
    }

    /// Returns the stored entry of a server, or `nil` if there is none.
    ///
    /// - Throws: ``KnownServersError/broken(_:)`` for a file that cannot be read: ignoring it would accept any key.
    package func server(at endpoint: Endpoint) throws -> RememberedServer? {
        let path = file(of: endpoint).path
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        try FilePermissions.check(path, in: folder.path)
        let decoder = JSONDecoder()
        // Foundation's own strategy converts a date that does not exist into another one.
        decoder.dateDecodingStrategy = .custom { decoder in
            guard let time = InternetTime(try decoder.singleValueContainer().decode(String.self)) else {
                throw KnownServersError.broken(path)
            }
            return time.date
        }
        let bytes = try InputFile.read(path)
        guard let server = try? decoder.decode(RememberedServer.self, from: Data(bytes)) else {
            throw KnownServersError.broken(path)
        }
        return server
    }

    /// Removes the entry of a server.
    package func forget(_ endpoint: Endpoint) throws {
        guard unlink(file(of: endpoint).path) == 0 else { throw FileError(.remove, path: file(of: endpoint).path) }
    }

    private func file(of endpoint: Endpoint) -> URL {
        // Some systems do not allow the colons of an IPv6 address in file names.
        let host = endpoint.host.description.replacing(":", with: "-")
        return folder.appending(path: "\(host)_\(endpoint.port).json")
    }
}

package enum KnownServersError: Error {
    case broken(String)
    case unknown(Endpoint)
}

extension KnownServersError: CataloguedError {
    package var explanation: ErrorExplanation {
        switch self {
        case .broken(let path):
            ErrorExplanation(
                "known-server.broken", "The remembered key of a server cannot be read: \(path).",
                reason: "The file was changed, or is damaged.",
                advice: "Compare the server's key with its owner, remove the file, and connect again.")
        case .unknown(let endpoint):
            ErrorExplanation(
                "known-server.not-found", "No key of \(endpoint) is remembered.",
                reason: "A key is remembered by host and port, at the first connection with --trust first-use.",
                advice: "Check the host, and add the port if it is not 443.")
        }
    }

    package static var examples: [KnownServersError] {
        [.broken("/home/me/.config/countersign/servers/localhost_8443.json")]
            + [try? Endpoint(host: HostName("localhost"), port: 8443)].compactMap { $0.map(Self.unknown) }
    }
}
