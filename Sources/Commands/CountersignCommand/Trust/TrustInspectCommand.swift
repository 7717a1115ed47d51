// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ArgumentParser
import CertificateTrust
import CommandSession
import CommandSupport
public import Countersign
import EssentialFoundation
import KeychainService

/// `countersign trust inspect`.
struct TrustInspectCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show a server's chain, every check with its outcome, and the required changes.",
        discussion: """
            Connects over TLS, sends no request and trusts nothing. --starttls asks for TLS first, as do the URLs smtp:, lmtp:, \
            imap:, pop3:, xmpp:, ldap:, postgres:, mysql:, nntp: and sieve:. A file (one that exists, or a name with an ending such \
            as .pem or with a slash, but not HOST:PORT/), or '-' for standard input, is evaluated as the chain of a server: PEM or \
            DER, its own certificate first; nothing is fetched for it, unless --revocation or --fetch-issuers asks for it. Exits \
            with 0 if the chain is trusted, with 3 if not, and with 1 if it is trusted but a file of --crl or --ocsp cannot be \
            used for it.

            Example: countersign trust inspect intranet.example:8443 --anchor ca.pem --svg paths.svg
            """)

    @Argument(help: "HOST, HOST:PORT, a URL, or a file; without a port, that of the protocol, or else 443.")
    var source: String

    @Option(help: "For a file: the host for which its first certificate must be valid.")
    var host: String?

    @OptionGroup
    var time: EvaluationTime

    @Option(
        help: ArgumentHelp(
            "Ask for TLS in this protocol first.",
            discussion: "The default port is that of the protocol."))
    var starttls: StartTLS?

    @OptionGroup(title: "Trust")
    var trustOptions: TrustOptions

    @OptionGroup(title: "Connection")
    var connection: InspectionConnection

    @OptionGroup(title: "Output")
    var output: InspectionOutput

    var wantsJSON: Bool { output.json }
    var subject: String? { isFile ? nil : source }

    func perform(on console: Console) async throws -> CommandStatus {
        try output.checkContradictions()
        try connection.family.checkContradictions()
        let readers = (source == "-" ? ["-"] : []) + trustOptions.readersOfStandardInput
        if readers.count > 1 { throw UsageError.contradiction(readers[0], readers[1]) }
        try output.protect(try (isFile ? [source] : []) + trustOptions.inputPaths(console))
        let inspection =
            if isFile { try await inspectFile(console) } else { try await inspectServer(console) }
        return try output.show(inspection, on: console)
    }

    private var isFile: Bool {
        guard source != "-" else { return true }
        guard !source.contains("://") else { return false }
        if FileManager.default.fileExists(atPath: source) { return true }
        guard let slash = source.firstIndex(of: "/") else {
            return [".pem", ".crt", ".cer", ".der", ".p7b", ".p12", ".pfx"].contains(where: source.hasSuffix)
        }
        // A URL whose scheme was left out, such as localhost:8443/, names a server.
        return HostName.withPort(String(source[..<slash]))?.port == nil
    }

    private func policies(_ host: HostName?, _ console: Console) async throws -> DomainPolicies {
        try await trustOptions.policies(
            for: host, isVerbose: false, keychain: trustOptions.keychain.makeClient(), on: console)
    }

    private func inspectFile(_ console: Console) async throws -> Inspection {
        if starttls != nil { throw InspectionError.flagOfServers("--starttls") }
        let name = try host.map { $0.contains("@") ? nil : try HostName(international: $0) } ?? nil
        let instant = try time.instant() ?? Date()
        let policies = try await policies(name, console)
        return try await connection.evaluate(
            source, for: host, under: policies, at: instant, with: trustOptions.evidence.read(),
            on: console)
    }

    private func inspectServer(_ console: Console) async throws -> Inspection {
        if host != nil { throw InspectionError.flagOfFiles("--host") }
        let address = try ServerAddress(source, startTLS: starttls)
        let endpoint = try HostEndpoint(of: address.url)
        let instant = try time.instant()
        let policies = try await policies(endpoint.host, console)
        let files = try trustOptions.evidence.read()
        let log = EventLog()
        var configuration = try connection.configuration(
            policies, for: [endpoint], isHTTP: address.startTLS == nil, on: console)
        configuration.serverMemory = try FileServerMemory(environment: console.environment)
        configuration.evidence = files.evidence
        configuration.observer = log.note
        let (session, limit) = (configuration, TimeLimit(connection.limits.maxTime))
        do {
            let trust = try await limit.run {
                try await HTTPSession.with(session) {
                    try await $0.inspect(address.url, startTLS: address.startTLS, at: instant)
                }
            }
            return Inspection(
                trust, policy: policies.policy(for: endpoint.host).trust, fetches: log.fetches, evidence: files,
                at: instant ?? Date(), environment: console.anchorEnvironment)
        } catch {
            throw limit.reason(for: error, of: address.url)
        }
    }
}

extension StartTLS: ExpressibleByArgument {}

/// A server as the user writes it: `host`, `host:port`, `[address]:port`, an IPv6 address, or a URL, also without its
/// scheme.
struct ServerAddress: Equatable {
    /// The server as an https URL.
    let url: String
    /// The protocol in which the server is asked for TLS; `nil` if the handshake comes first.
    let startTLS: StartTLS?

    private static let protocols: KeyValuePairs<String, StartTLS> = [
        "smtp": .smtp, "lmtp": .lmtp, "imap": .imap, "pop3": .pop3, "xmpp": .xmpp, "ldap": .ldap,
        "postgres": .postgres, "postgresql": .postgres, "mysql": .mysql, "nntp": .nntp, "sieve": .sieve,
    ]
    /// The registered ports of protocols that begin with the handshake.
    private static let encryptedPorts = ["smtps": 465, "imaps": 993, "pop3s": 995, "ldaps": 636]

    /// - Parameters:
    ///   - text: The server.
    ///   - option: The protocol of an option; `nil` for that of the URL's scheme.
    /// - Throws: ``InspectionError/plainHTTP(_:)``; `UsageError` if the option and the URL name different protocols.
    init(_ text: String, startTLS option: StartTLS? = nil) throws {
        guard let mark = text.firstRange(of: "://") else {
            (url, startTLS) = (Self.url(text[...], port: option?.defaultPort), option)
            return
        }
        let scheme = text[..<mark.lowerBound].lowercased()
        guard scheme != "http" else { throw InspectionError.plainHTTP(text) }
        let known = Self.protocols.first { $0.key == scheme }?.value
        if let known, let option, known != option {
            throw UsageError.contradiction("--starttls \(option.rawValue)", "\(scheme)://")
        }
        startTLS = option ?? known
        if let port = known?.defaultPort ?? Self.encryptedPorts[scheme] {
            url = Self.url(text[mark.upperBound...], port: port)
        } else {
            url = text
        }
    }

    private static func url(_ text: Substring, port: Int?) -> String {
        var server = text.prefix { $0 != "/" }
        if let login = server.lastIndex(of: "@") { server = server[server.index(after: login)...] }
        let isBareIPv6 = !server.hasPrefix("[") && server.count(where: { $0 == ":" }) > 1
        let hasPort = server.hasPrefix("[") ? server.contains("]:") : !isBareIPv6 && server.contains(":")
        let authority = isBareIPv6 ? "[\(server)]" : String(server)
        return "https://" + authority + (hasPort ? "" : port.map { ":\($0)" } ?? "") + "/"
    }
}
