// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import CommandSession
import CommandSupport
import Countersign
import EssentialFoundation
import KeychainService

/// `countersign trust inspect`.
struct TrustInspectCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show a server's chain, every check with its outcome, and the required changes.",
        discussion: """
            Connects over TLS, sends no request and trusts nothing. A file (one that exists, or a name with an ending such \
            as .pem or with a slash, but not HOST:PORT/) is evaluated as the chain of a server: PEM or DER, its own certificate first. Exits with \
            0 if the chain is trusted, with 3 if not.

            Example: countersign trust inspect intranet.example:8443 --anchor ca.pem --svg paths.svg
            """)

    @Argument(help: "HOST, HOST:PORT, an https: URL, or a file; without a port, 443.")
    var source: String

    @Option(help: "For a file: the host for which its first certificate must be valid.")
    var host: String?

    @OptionGroup(title: "Trust")
    var trustOptions: TrustOptions

    @Option(
        help: ArgumentHelp(
            "A proxy to go through: http://host:port, https://host:port or socks5://host:port.",
            discussion: """
                By default, the proxies of the environment: https_proxy or all_proxy, except for the hosts of no_proxy, \
                localhost and loopback addresses.
                """))
    var proxy: String?

    @Option(
        help: ArgumentHelp(
            "Hosts to reach directly, instead of the environment's no_proxy; '*' for all.", valueName: "list"))
    var noProxy: String?

    @OptionGroup
    var family: AddressFamilyOptions

    @OptionGroup(title: "Output")
    var output: InspectionOutput

    var wantsJSON: Bool { output.json }
    var subject: String? { isFile ? nil : source }

    func perform(on console: Console) async throws -> CommandStatus {
        try output.checkContradictions()
        let inspection =
            if isFile { try await inspectFile(console) } else { try await inspectServer(console) }
        return try output.show(inspection, on: console)
    }

    private var isFile: Bool {
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
        if proxy != nil { throw InspectionError.flagOfServers("--proxy") }
        if noProxy != nil { throw InspectionError.flagOfServers("--no-proxy") }
        if let name = family.name { throw InspectionError.flagOfServers(name) }
        let name = try host.map { try HostName(international: $0) }
        let policy = try await policies(name, console).policy(for: name)
        var configuration = HTTPSession.Configuration()
        configuration.proxies = try .chosen(by: nil, except: nil, environment: console.environment)
        return try await ChainFile(source).evaluate(
            for: name, under: policy, at: Date(), fetchingWith: configuration)
    }

    private func inspectServer(_ console: Console) async throws -> Inspection {
        try family.checkContradictions()
        if host != nil { throw InspectionError.flagOfFiles("--host") }
        let url = try ServerAddress(source).url
        let name = try HostEndpoint(of: url).host
        let policies = try await policies(name, console)
        let log = EventLog()
        var configuration = HTTPSession.Configuration(policies: policies)
        family.apply(to: &configuration)
        configuration.proxies = try .chosen(by: proxy, except: noProxy, environment: console.environment)
        configuration.serverMemory = try FileServerMemory(environment: console.environment)
        configuration.observer = log.note
        let trust = try await HTTPSession.with(configuration) { try await $0.inspect(url) }
        return Inspection(
            trust, policy: policies.policy(for: name).trust, fetches: log.fetches, at: Date())
    }
}

extension DomainPolicies {
    /// Returns the policy of a host, or the policy of every unlisted host if the argument is `nil`.
    fileprivate func policy(for host: HostName?) -> TrustPolicy {
        host.map { policy(for: $0).trust } ?? fallback.trust
    }
}

/// A server as the user writes it: `host`, `host:port`, `[address]:port`, an IPv6 address, or an https URL, also without
/// its scheme.
struct ServerAddress {
    let url: String

    init(_ text: String) throws(InspectionError) {
        guard let scheme = text.firstRange(of: "://") else {
            let server = text.prefix { $0 != "/" }
            let isBareIPv6 = !server.hasPrefix("[") && server.count(where: { $0 == ":" }) > 1
            url = "https://" + (isBareIPv6 ? "[\(server)]" : server) + "/"
            return
        }
        guard text[..<scheme.lowerBound].lowercased() != "http" else { throw .plainHTTP(text) }
        url = text
    }
}
