// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import CommandSession
import CommandSupport
import Countersign
import EssentialFoundation

/// The options for the connections of an inspection: to the server, and to the sources of evidence.
struct InspectionConnection: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A proxy to go through: http://host:port, https://host:port or socks5://host:port.",
            discussion: """
                By default, the proxies of the environment: https_proxy or all_proxy, except for the hosts of no_proxy, \
                localhost and loopback addresses. STARTTLS uses only all_proxy.
                """, valueName: "url"))
    var proxy: String?

    @Option(
        help: ArgumentHelp(
            "Hosts to reach directly, instead of the environment's no_proxy; '*' for all.", valueName: "list"))
    var noProxy: String?

    @OptionGroup
    var targets: ConnectTargetOptions

    @OptionGroup
    var family: AddressFamilyOptions

    @OptionGroup
    var limits: TimeLimitOptions

    /// The names of the given options, except for the total timeout, which applies to files too.
    var names: [String] {
        [
            proxy.map { _ in "--proxy" }, noProxy.map { _ in "--no-proxy" }, family.name,
            limits.connectTimeout.map { _ in "--connect-timeout" },
        ].compactMap(\.self) + targets.names
    }

    /// Returns the configuration of a session.
    ///
    /// - Parameters:
    ///   - policies: The policies of servers.
    ///   - targets: The endpoints to which targets without a host and port apply.
    ///   - isHTTP: Whether connections are for HTTP, so that the environment's proxies for https apply.
    ///   - console: The console with the environment.
    /// - Returns: The configuration.
    /// - Throws: ``UsageError``, `SessionError`.
    func configuration(
        _ policies: DomainPolicies, for targets: [HostEndpoint] = [], isHTTP: Bool = true, on console: Console
    ) throws -> HTTPSession.Configuration {
        try family.checkContradictions()
        var configuration = HTTPSession.Configuration(policies: policies)
        family.apply(to: &configuration)
        limits.apply(to: &configuration)
        if let timeout = limits.connectTimeout { configuration.evidenceTimeout = timeout }
        let environment = console.environment.filter { isHTTP || $0.key.lowercased() != "https_proxy" }
        configuration.proxies = try .chosen(by: proxy, except: noProxy, environment: environment)
        self.targets.apply(to: &configuration, for: targets)
        configuration.anchorEnvironment = console.anchorEnvironment
        return configuration
    }

    /// Evaluates a chain from a file; evidence is fetched if the policy asks for it.
    ///
    /// - Throws: ``InspectionError/flagOfServers(_:)`` for an option without effect, and the errors of the evaluation.
    func evaluate(
        _ path: String, for name: String?, under policies: DomainPolicies, at time: Date, with files: EvidenceFiles,
        timestamps: TimestampList? = nil, on console: Console
    ) async throws -> Inspection {
        let host = name.flatMap { try? HostName(international: $0) }
        let policy = host.map { policies.policy(for: $0).trust } ?? policies.fallback.trust
        if !policy.mayFetch, let option = names.first { throw InspectionError.flagOfServers(option) }
        let file = try ChainFile(path)
        let fetcher = policy.mayFetch ? EvidenceFetcher(try configuration(policies, on: console)) : nil
        let inspection = try await TimeLimit(limits.maxTime).run {
            try await file.evaluate(
                for: name, under: policy, at: time, with: files, timestamps: timestamps, fetcher: fetcher,
                environment: console.anchorEnvironment)
        }
        await fetcher?.close()
        return inspection
    }
}

/// The option for the time of an evaluation.
struct EvaluationTime: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The time of the evaluation: 2026-11-21 or 2026-11-21T10:00:00Z; by default, now.", valueName: "time"))
    var at: String?

    /// Parses a day, which begins at midnight UTC, or an instant (RFC 3339); `nil` for the present.
    func instant() throws(InspectionError) -> Date? {
        guard let at else { return nil }
        guard let time = InternetTime(day: at) ?? InternetTime(at) else { throw .time(at) }
        return time.date
    }
}
