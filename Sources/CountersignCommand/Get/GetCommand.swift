// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import Challenges
import Countersign
import HTTPTypes
import Identities
import NIOConcurrencyHelpers
import NIOCore
import Secrets

/// `countersign get`: the main job.
struct GetCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Get a resource, answering what stands in the way.",
        discussion: """
            The body goes to standard output, or with -o to a file that appears only when it is complete. On a terminal \
            whatever is missing is asked for; off a terminal nothing waits: the error says what was needed. A status of \
            400 or more delivers its body and exits with 1, a final 401 or 407 with 4.

            Example: countersign get https://intranet.example/report.pdf --trust imported --user mary -o report.pdf
            """)

    enum MaximumTLS: String, ExpressibleByArgument, CaseIterable {
        case tls12 = "1.2"
        case tls13 = "1.3"
    }

    @Argument(help: "What to get: an absolute URL of http or https.")
    var url: String

    @Option(name: [.short, .long], help: "Where to put the body.")
    var output: String?

    @Option(help: "The user to name to the URL's host.")
    var user: String?

    @Option(help: "A file whose first line is the user's password.")
    var passwordFile: String?

    @Option(help: "An open file descriptor to read the password from.")
    var passwordFd: Int?

    @OptionGroup(title: "Credentials from elsewhere")
    var credentialOptions: CredentialOptions
    #if Negotiate
        @Flag(help: "Show the URL's host a ticket of Kerberos: of whoever runs this, or of --user with its password.")
        var negotiate = false
    #endif

    @Option(help: "A certificate and its key, for servers that ask: PEM or PKCS#12.")
    var identity: String?

    @Option(help: "A file whose first line is the identity's passphrase.")
    var identityPassphraseFile: String?

    @OptionGroup(title: "Trust")
    var trustOptions: TrustOptions

    @Option(help: "A proxy to go through: http://host:port or https://host:port.")
    var proxy: String?

    @Option(help: "The user to name to the proxy.")
    var proxyUser: String?

    @Option(help: "A file whose first line is the proxy user's password.")
    var proxyPasswordFile: String?

    @Option(help: "The highest version of TLS: 1.2 or 1.3.")
    var tlsMax: MaximumTLS = .tls13

    @Flag(help: "Print a report as JSON instead of the body, which then goes to -o alone.")
    var json = false

    @Flag(name: [.short, .long], help: "Say how each challenge was answered, and what the connection is.")
    var verbose = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        try refuseFlagsWithoutUse()
        let target = try Target(url)
        warnOfPassword(on: console)
        let people = try await personalHandlers(target, console)
        let log = verbose ? EventLog { console.complain($0) } : EventLog()
        let proxy = try proxy.map { (url: String) throws in try Proxy(url) }
        var configuration = Session.Configuration(
            policies: try trustOptions.policies(for: target.host, isVerbose: verbose, on: console),
            handlers: people.handlers, proxy: proxy)
        configuration.tlsVersions = tlsMax == .tls12 ? .onlyTLS12 : .all
        configuration.serverMemory = KnownServers(environment: console.environment)
        configuration.observer = log.note
        configuration.allowsNTLMOverPlainHTTP = credentialOptions.allowNTLMOverPlainHTTP
        addSchemes(to: &configuration)
        let session = Session(configuration)
        do {
            let response = try await session.send(request(people))
            let status = try await deliver(response, people: people, log: log, console: console)
            await session.close()
            return status
        } catch {
            await session.close()
            throw explain(error, people)
        }
    }

    /// A flag that would do nothing is a mistake that somebody had better hear of.
    private func refuseFlagsWithoutUse() throws(UsageError) {
        if user == nil, passwordFile != nil || passwordFd != nil { throw .useless("a password", without: "--user") }
        if proxy == nil, proxyUser != nil { throw .useless("--proxy-user", without: "--proxy") }
        if proxyUser == nil, proxyPasswordFile != nil { throw .useless("a proxy password", without: "--proxy-user") }
        try credentialOptions.refuseFlagsWithoutUse(hasPassword: passwordFile != nil || passwordFd != nil)
        if identity == nil, identityPassphraseFile != nil { throw .useless("a passphrase", without: "--identity") }
    }

    private func request(_ people: PersonalHandlers) -> Request {
        var request = Request(url: url)
        guard credentialOptions.sendCredentialsAcrossRedirects else { return request }
        request.sendsCredentialsAcrossRedirects = true
        request.credential = people.explicitCredential
        return request
    }

    /// What stands on a command line is seen by everybody on the machine, and stays in the shell's history.
    private func warnOfPassword(on console: Console) {
        let isBare = ([url] + (proxy.map { [$0] } ?? [])).allSatisfy { !$0.holdsPassword }
        guard !isBare else { return }
        console.complain(
            "countersign: a password in a URL is seen by everybody on this machine; --password-file keeps it to you")
    }

    private func personalHandlers(_ target: Target, _ console: Console) async throws -> PersonalHandlers {
        let passphrase = try identityPassphraseFile.map(SecretSource.file)
        var found: Identity?
        if let identity {
            found = try await IdentityFile.read(identity, passphrase: passphrase, prompter: console.prompter)
        }
        return PersonalHandlers(
            host: target.host, port: target.port, usesTLS: url.lowercased().hasPrefix("https:"),
            origin: .init(user: user, password: try password()),
            proxy: .init(user: proxyUser, password: try proxyPasswordFile.map(SecretSource.file)),
            token: try credentialOptions.token(), netrc: try credentialOptions.readNetrc(on: console),
            identity: found, showsTickets: showsTickets, prompter: console.prompter)
    }

    private func password() throws -> Secret? {
        if let passwordFd { return try SecretSource.descriptor(number: passwordFd) }
        return try passwordFile.map(SecretSource.file)
    }

    /// Off a terminal, what was needed says more than the bare refusal.
    private func explain(_ error: any Error, _ people: PersonalHandlers) -> any Error {
        let failure = Failure(error)
        guard failure.status == .notAuthenticated, let need = people.needs.withLockedValue({ $0.last }) else {
            return error
        }
        return CommandFailure(
            failure: Failure(failure.status, failure.code, need.prefix(1).uppercased() + need.dropFirst() + "."))
    }

    // MARK: Delivering

    private func deliver(
        _ response: Response, people: PersonalHandlers, log: EventLog, console: Console
    ) async throws -> CommandStatus {
        for case .firstUse(let server) in response.connection.tls?.verdict.remarks ?? [] {
            console.complain(
                "countersign: nobody vouches for \(response.connection.endpoint); its key is remembered: \(server.key)")
        }
        let bytes = try await write(response, console)
        let failure = refusal(response, people)
        if json {
            console.print(
                json: GetReport(
                    url: response.url, status: response.status.code, bytes: bytes, output: output,
                    proxy: response.connection.proxy?.description, tls: response.connection.tls.map(TLSReport.init),
                    challenges: log.challenges.map { ChallengeReport($0, $1) },
                    error: failure.map { FailureReport($0).error }))
        }
        guard let failure else { return .done }
        console.complain(failure.text)
        return failure.status
    }

    /// What a response says by its status alone.
    private func refusal(_ response: Response, _ people: PersonalHandlers) -> Failure? {
        let answer = "\(response.url) answered \(response.status.description)"
        switch response.status.code {
        case 401, 407:
            let need = people.needs.withLockedValue { $0.last }
            return Failure(
                .notAuthenticated, "not-authenticated", need.map { "\(answer): \($0)." } ?? "\(answer).",
                "'get -v' shows what was asked and how it was answered.")
        case 400...:
            return Failure(.failed, "http-status", "\(answer).", "The body says why, or ask the server's owner.")
        default:
            return nil
        }
    }

    /// - Returns: How many bytes the body had.
    private func write(_ response: Response, _ console: Console) async throws -> Int {
        let total = response.headerFields[.contentLength].flatMap { Int($0) }
        let showsProgress = console.errorIsTerminal && (output != nil || !console.outputIsTerminal)
        var progress = ProgressBar(total: total) { if showsProgress { console.writeError($0) } }
        defer { progress.finish() }
        let file = try output.map { try OutputFile(path: $0) }
        for try await part in response.body {
            if let file {
                try part.withUnsafeReadableBytes { try file.write($0) }
            } else if !json {
                let bytes = Array(part.readableBytesView)
                guard !console.outputIsTerminal || bytes.allSatisfy(\.isText) else { throw Self.noText }
                try console.write(bytes)
            }
            progress.add(part.readableBytes)
        }
        try file?.commit()
        return progress.received
    }

    private static let noText = CommandFailure(
        failure: Failure(
            .failed, "no-text", "The body is no text, and could change how the terminal behaves.",
            "Put it into a file with -o FILE, or pipe it on."))

    /// The host and port that a URL names.
    struct Target {
        let host: HostName
        let port: Int

        init(_ url: String) throws {
            let endpoint = try Endpoint(of: url)
            (host, port) = (endpoint.host, endpoint.port)
        }
    }
}

extension String {
    /// Whether it is a URL with a password in it, or looks like one.
    fileprivate var holdsPassword: Bool {
        let authority = self[(firstRange(of: "//")?.upperBound ?? startIndex)...].prefix { $0 != "/" }
        return authority.lastIndex(of: "@").map { authority[..<$0].contains(":") } ?? false
    }
}

extension UInt8 {
    /// Whether a terminal only shows it: a control character could be the start of a command to it.
    fileprivate var isText: Bool { self >= 0x20 && self != 0x7F || [0x09, 0x0A, 0x0C, 0x0D].contains(self) }
}
