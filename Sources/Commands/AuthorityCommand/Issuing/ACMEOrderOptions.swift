// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEClients
import ArgumentParser
import CommandSupport
import EssentialFoundation
import Secrets

/// The options of an ACME order: the authority, and the answers to its challenges.
struct ACMEOrderOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Order the certificate by ACME (RFC 8555) from the authority with this directory, and only when it is due.",
            valueName: "url"))
    var acme: String?

    @Flag(help: "Agree to the terms of service of the authority.")
    var agreeToTerms = false

    @Option(
        help: ArgumentHelp(
            "An address at which the authority can reach you; may be repeated.", valueName: "mail address"))
    var contact: [String] = []

    @Option(
        help: ArgumentHelp(
            "Certificates to trust for the authority's own server, in addition to the system's; may be repeated.",
            valueName: "file"))
    var anchor: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file with one line: the identifier and the base64url key of an account that the authority has given you.",
            valueName: "file"))
    var externalAccount: String?

    @Option(help: ArgumentHelp("One of the profiles that the authority offers.", valueName: "name"))
    var profile: String?

    @Option(
        help: ArgumentHelp("Answer http-01 with files in the folder of a running web server.", valueName: "folder"))
    var webroot: String?

    @Option(
        help: ArgumentHelp(
            "Answer http-01 with a server on this port; 80 if no other method is given.", valueName: "number"))
    var httpPort: Int?

    @Option(
        help: ArgumentHelp(
            "Answer tls-alpn-01 with a server on this port; authorities connect to 443.", valueName: "number"))
    var tlsPort: Int?

    @Option(
        help: ArgumentHelp(
            "Answer dns-01 with a shell command, which gets 'add' or 'remove', a TXT record's name and its value.",
            valueName: "command"))
    var dnsHook: String?

    @Flag(help: "Order it even if it is not due.")
    var force = false

    func validate() throws {
        let others =
            agreeToTerms || force || !contact.isEmpty || !anchor.isEmpty
            || [externalAccount, profile, webroot, dnsHook].contains { $0 != nil } || httpPort != nil || tlsPort != nil
        guard acme != nil || !others else {
            throw ValidationError("The options of an order, such as --webroot and --force, need --acme.")
        }
        if webroot != nil, httpPort != nil { throw ValidationError("--webroot and --http-port contradict each other.") }
        for port in [httpPort, tlsPort].compactMap(\.self) where !(1...65_535).contains(port) {
            throw ValidationError("A port is 1 to 65535.")
        }
    }

    /// The port of the command's own server for http-01.
    var ownHTTPPort: Int? { httpPort ?? (webroot == nil && tlsPort == nil && dnsHook == nil ? 80 : nil) }

    /// Reads the external account.
    func readExternalAccount() throws -> ExternalAccount? {
        guard let externalAccount else { return nil }
        let fields = String(decoding: try InputFile.readArgument(externalAccount), as: UTF8.self)
            .split(whereSeparator: \.isWhitespace)
        guard fields.count == 2, let key = Base64URL.decode(fields[1]), !key.isEmpty else {
            throw AuthorityCommandError.malformedExternalAccount(path: externalAccount)
        }
        return ExternalAccount(identifier: String(fields[0]), key: Secret(utf8: key))
    }
}

/// The responders that answer challenges for an order.
struct ChallengeAnswers {
    private let servers: [any ChallengeServer]
    let responders: [any ChallengeResponder]

    /// Starts the servers that the options name, which run until stop().
    static func start(_ options: ACMEOrderOptions) async throws -> ChallengeAnswers {
        var servers: [any ChallengeServer] = []
        do {
            if let port = options.ownHTTPPort {
                servers.append(try await Self.naming(port) { try await HTTPChallengeResponder.start(port: port) })
            }
            if let port = options.tlsPort {
                servers.append(try await Self.naming(port) { try await TLSChallengeResponder.start(port: port) })
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
        return HookChallengeResponder(.http01) { proof in
            let file = place(proof)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            // Other users can read the file, because the web server runs as another user.
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
        return HookChallengeResponder(.dns01) { proof in
            try run("add", proof)
        } remove: { proof in
            // The outcome of the order does not depend on the removal, and a leftover record does no harm.
            try? run("remove", proof)
        }
    }
}

/// A responder that listens on a port.
private protocol ChallengeServer: ChallengeResponder {
    func close() async
}

extension HTTPChallengeResponder: ChallengeServer {}
extension TLSChallengeResponder: ChallengeServer {}
