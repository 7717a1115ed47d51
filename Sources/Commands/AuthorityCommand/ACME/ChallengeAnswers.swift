// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEClient
import CommandSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Everything that answers challenges for an order.
struct ChallengeAnswers {
    private let servers: [any ChallengeServer]
    let responders: [any ChallengeResponder]

    /// Starts the servers that the options ask for, which run until stop().
    static func start(_ options: ACMEOrderOptions) async throws -> ChallengeAnswers {
        var servers: [any ChallengeServer] = []
        do {
            if let port = options.ownHTTPPort {
                servers.append(try await Self.naming(port) { try await HTTPResponder.start(port: port) })
            }
            if let port = options.tlsPort {
                servers.append(try await Self.naming(port) { try await TLSResponder.start(port: port) })
            }
        } catch {
            for server in servers { await server.close() }
            throw error
        }
        let others = [options.webroot.map(webroot), options.dnsHook.map(dnsHook)].compactMap(\.self)
        return ChallengeAnswers(servers: servers, responders: servers + others)
    }

    func stop() async {
        for server in servers { await server.close() }
    }

    private static func naming<Server>(_ port: Int, _ start: () async throws -> Server) async throws -> Server {
        do {
            return try await start()
        } catch {
            throw AuthorityCommandError.portNotFree(port)
        }
    }

    private static func webroot(_ folder: String) -> any ChallengeResponder {
        @Sendable func place(_ proof: ChallengeProof) -> URL {
            URL(filePath: folder, directoryHint: .isDirectory)
                .appending(path: String(KeyAuthorization.path(token: proof.token).dropFirst()))
        }
        return HookResponder(.http01) { proof in
            let file = place(proof)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            // The web server is another user.
            try OutputFile.write(proof.authorization.text, to: file.path, mode: 0o644)
        } remove: { proof in
            try? FileManager.default.removeItem(at: place(proof))
        }
    }

    private static func dnsHook(_ command: String) -> any ChallengeResponder {
        @Sendable func run(_ verb: String, _ proof: ChallengeProof) throws {
            let status = try Program.run([
                "/bin/sh", "-c", command + " \"$@\"", "sh", verb,
                KeyAuthorization.recordName(for: proof.identifier.value), proof.authorization.recordValue,
            ])
            guard status == 0 else { throw AuthorityCommandError.dnsHookFailed(command, status: status) }
        }
        return HookResponder(.dns01) { proof in
            try run("add", proof)
        } remove: { proof in
            // The order's outcome counts; a record that stays does no harm.
            try? run("remove", proof)
        }
    }
}

/// A responder that listens on a port.
private protocol ChallengeServer: ChallengeResponder {
    func close() async
}

extension HTTPResponder: ChallengeServer {}
extension TLSResponder: ChallengeServer {}
