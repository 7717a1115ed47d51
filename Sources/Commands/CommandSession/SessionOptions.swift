// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ArgumentParser
import CertificateTrust
package import CommandSupport
package import Countersign
package import KeychainService

#if Negotiate
    import Negotiate
#endif

/// The options of every command that opens a session.
package protocol SessionOptions: Sendable {
    var credentials: CredentialOptions { get }
    var trust: TrustOptions { get }
    var route: RouteOptions { get }
    var protocols: ProtocolOptions { get }
    var timeouts: TimeoutOptions { get }
    /// Whether the warnings of a policy file are printed.
    var verbose: Bool { get }
}

extension SessionOptions {
    /// Throws an error for options that contradict each other or have no effect without others.
    ///
    /// - Parameter environment: The environment variables.
    /// - Throws: ``UsageError``; `SessionError` if the environment's proxies cannot be read.
    package func checkSessionOptions(_ environment: [String: String]) throws {
        try credentials.checkUnusedOptions()
        if credentials.remember, trust.keychain.makeClient() == nil {
            throw UsageError.useless("--remember", without: "--keychain")
        }
        try route.checkUnusedOptions(environment)
        if credentials.methods != nil, trust.policy != nil { throw UsageError.contradiction("--methods", "--policy") }
        try protocols.checkContradictions()
        try timeouts.checkUnusedOptions()
    }

    /// The names of the given options that read standard input.
    package var readersOfStandardInput: [String] {
        credentials.readersOfStandardInput
            + (route.proxyPassword.readsStandardInput ? [SecretOptions<ProxyPassword>.standardInputOption] : [])
            + trust.readersOfStandardInput
    }

    /// Returns the session configuration for these options.
    ///
    /// - Parameters:
    ///   - targets: The origins of the command line's URLs.
    ///   - originHandlers: The challenge handlers of these origins.
    ///   - keychain: The keychain whose trust settings and credentials are used too.
    ///   - console: The console that prints warnings.
    /// - Returns: The configuration, without cookies and without a redirect limit.
    /// - Throws: ``UsageError``, `FileError`, `PolicyFileError`, ``KeychainClientError``.
    package func configuration(
        for targets: [HostEndpoint], _ originHandlers: [OriginHandlers], _ keychain: KeychainClient?,
        on console: Console
    ) async throws -> HTTPSession.Configuration {
        var configuration = HTTPSession.Configuration(
            policies: try await trust.policies(
                for: targets.first?.host, isVerbose: verbose, keychain: keychain, on: console),
            handlers: OriginHandlers.handlers(of: originHandlers))
        configuration.anchorEnvironment = console.anchorEnvironment
        let files = try trust.evidence.read()
        for line in files.unreadable { console.printError("countersign: warning: not read: \(line)") }
        configuration.evidence = files.evidence
        configuration.credentialStore = keychain
        for person in originHandlers { configuration.credentials[person.originURL] = person.firstCredential }
        configuration.serverMemory = try FileServerMemory(environment: console.environment)
        if let methods = credentials.methods { configuration.policies.fallback.methods = methods.allowed }
        configuration.allowsNTLMOverPlainHTTP = credentials.allowNTLMOverPlainHTTP
        if let limit = credentials.maxSCRAMIterations { configuration.scramIterationLimit = limit }
        try route.apply(to: &configuration, for: targets, environment: console.environment)
        protocols.apply(to: &configuration)
        timeouts.apply(to: &configuration)
        #if Negotiate
            if credentials.negotiate { configuration.authenticators[.negotiate] = HTTPNegotiateAuthenticator.factory() }
        #endif
        return configuration
    }

    /// Returns the challenge handlers for each origin on the command line.
    ///
    /// - Parameters:
    ///   - urls: The URLs; a user and a password in a URL are for its origin.
    ///   - keychain: The keychain whose identities are used too.
    ///   - console: The console on which the user is asked.
    ///   - asks: Whether the user is asked for missing credentials.
    /// - Returns: The handlers of each origin, in the order of the URLs; empty without URLs.
    /// - Throws: ``UsageError``, `FileError`, `IdentityError`.
    package func personalHandlers(
        for urls: [String], _ keychain: KeychainClient?, on console: Console, asks: Bool = true
    ) async throws -> [OriginHandlers] {
        // A secret for which there is no origin is not read, because some sources can be read only once.
        guard !urls.isEmpty else { return [] }
        let environment = console.environment
        let prompter = asks ? console.prompter : nil
        let origin = try await credentials.login(environment, asking: prompter)
        let (proxy, token) = (try route.login(environment), try credentials.token(environment))
        let netrc = try credentials.readNetrc(on: console)
        let given = try await credentials.identities(on: console, environment)
        let identities = given.compactMap { if case .identity(let identity) = $0 { identity } else { nil } }
        let encodedIdentities = given.compactMap { if case .encoded(let identity) = $0 { identity } else { nil } }
        var originHandlers: [OriginHandlers] = []
        for url in urls where !originHandlers.contains(where: { $0.isOrigin(of: url) }) {
            let target = try HostEndpoint(of: url)
            let written = SessionRequest(url: url).urlLogin
            if written != nil, let option = credentials.loginOption {
                throw UsageError.contradiction(option, "a login in the URL")
            }
            originHandlers.append(
                OriginHandlers(
                    host: target.host, port: target.port, usesTLS: url.lowercased().hasPrefix("https:"),
                    origin: origin ?? .init(user: written?.user, password: written?.password), proxy: proxy,
                    token: token, netrc: netrc, allowsNetrcOverPlainHTTP: credentials.allowNetrcOverPlainHTTP,
                    sendsPasswordFirst: credentials.auth != nil,
                    allowsCredentialsOverPlainHTTP: credentials.allowCredentialsOverPlainHTTP,
                    allowsBasic: credentials.methods?.allowed.contains(.basic) ?? true,
                    sendsCredentialsAcrossRedirects: credentials.sendCredentialsAcrossRedirects,
                    identities: identities, encodedIdentities: encodedIdentities, keychain: keychain,
                    remembers: credentials.remember,
                    sendsTickets: credentials.sendsTickets, prompter: prompter))
        }
        if credentials.auth != nil, originHandlers.allSatisfy({ $0.firstCredential == nil }) {
            guard origin == nil else {
                throw UsageError.missing("the password of --user (--password-file FILE)", for: "--auth")
            }
            let needsPermission =
                netrc != nil && !credentials.allowNetrcOverPlainHTTP && originHandlers.contains { !$0.usesTLS }
            let netrcOption = needsPermission ? "--allow-netrc-over-plain-http" : "--netrc"
            throw UsageError.missing("a user and a password (--user, \(netrcOption) or the URL)", for: "--auth")
        }
        return originHandlers
    }
}

extension CredentialOptions {
    /// Whether Kerberos tickets are sent, which requires a build with the trait.
    fileprivate var sendsTickets: Bool {
        #if Negotiate
            negotiate
        #else
            false
        #endif
    }
}

/// The session options with their headings, for commands that compose their requests themselves.
package struct SessionOptionGroups: ParsableArguments, SessionOptions {
    @OptionGroup(title: "Credentials")
    package var credentials: CredentialOptions

    @OptionGroup(title: "Trust")
    package var trust: TrustOptions

    @OptionGroup(title: "Connection")
    package var route: RouteOptions

    @OptionGroup(title: "Protocols")
    package var protocols: ProtocolOptions

    @OptionGroup(title: "Timeouts")
    package var timeouts: TimeoutOptions

    @Flag(name: .shortAndLong, help: "Print the warnings of a policy file, and the messages of a call.")
    package var verbose = false

    package init() {}

    /// Runs a closure with a session that these options configure, and closes the session.
    ///
    /// - Parameters:
    ///   - urls: The URLs of the command line; passwords and identities are for their origins.
    ///   - readers: The names of the other options that read standard input.
    ///   - console: The console for questions and warnings.
    ///   - work: The closure.
    /// - Returns: The closure's result.
    /// - Throws: ``UsageError``, `FileError`, errors of the closure, and `SessionError` if the time limit expires.
    package func withSession<Value: Sendable>(
        for urls: [String], besides readers: [String] = [], on console: Console,
        _ work: @escaping @Sendable (HTTPSession) async throws -> Value
    ) async throws -> Value {
        try checkSessionOptions(console.environment)
        let readers = readersOfStandardInput + readers
        if readers.count > 1 { throw UsageError.contradiction(readers[0], readers[1]) }
        let limit = TimeLimit(timeouts.limits.maxTime)
        do {
            return try await limit.run {
                let keychain = trust.keychain.makeClient()
                let originHandlers = try await personalHandlers(for: urls, keychain, on: console)
                let endpoints = try urls.map { try HostEndpoint(of: $0) }
                var configuration = try await configuration(for: endpoints, originHandlers, keychain, on: console)
                // The session knows a credential that waits for a challenge too, so that its errors say that none came.
                for person in originHandlers where configuration.credentials[person.originURL] == nil {
                    configuration.credentials[person.originURL] = person.explicitCredential
                }
                do {
                    return try await HTTPSession.with(configuration, work)
                } catch {
                    throw OriginHandlers.explaining(error, by: originHandlers)
                }
            }
        } catch {
            throw urls.first.map { limit.reason(for: error, of: $0) } ?? error
        }
    }
}
