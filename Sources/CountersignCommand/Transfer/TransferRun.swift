// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import Countersign
import HTTPTypes
import NIOConcurrencyHelpers

/// One request of the command line, from its options to its exit status.
struct TransferRun {
    let method: HTTPRequest.Method
    let url: String
    let options: TransferOptions
    let body: BodyOptions?
    /// Whether what an earlier run left of the file is gone on with.
    let continues: Bool
    let console: Console

    func perform() async throws -> CommandStatus {
        try options.refuseFlagsWithoutUse(console.environment)
        if continues, options.outputPath == nil { throw UsageError.useless("--continue", without: "-o FILE") }
        let target = try Endpoint(of: url)
        let limit = TimeLimit(options.patience.maxTime)
        do {
            return try await limit.run { try await perform(for: target, within: limit) }
        } catch  where limit.hasPassed && !(error is CommandFailure) {
            throw limit.error(for: target)
        }
    }

    private func perform(for target: Endpoint, within limit: TimeLimit) async throws -> CommandStatus {
        warnOfPassword()
        let upload = UploadProgress(on: console)
        var request = try request()
        request.body = request.body.map(upload.watching)
        let people = try await personalHandlers(target)
        if options.credentials.sendCredentialsAcrossRedirects {
            request.sendsCredentialsAcrossRedirects = true
            request.credential = people.explicitCredential
        }
        let printLine = options.verbose ? { @Sendable (line: String) in console.complain(line) } : nil
        let log = EventLog(showsSecrets: options.showSecrets, printLine: printLine)
        var configuration = try configuration(for: target, people, log)
        configuration.observer = { event in
            upload.clear()
            log.note(event)
        }
        let session = Session(configuration)
        var outcome = await send(request, in: session, people, log, upload)
        if limit.hasPassed, outcome.error != nil { outcome.error = limit.error(for: target) }
        await session.close()
        return try finish(outcome, log, configuration.cookies)
    }

    private func configuration(
        for target: Endpoint, _ people: PersonalHandlers, _ log: EventLog
    ) throws -> Session.Configuration {
        var configuration = Session.Configuration(
            policies: try options.trust.policies(for: target.host, isVerbose: options.verbose, on: console),
            handlers: people.handlers)
        configuration.serverMemory = KnownServers(environment: console.environment)
        configuration.allowsNTLMOverPlainHTTP = options.credentials.allowNTLMOverPlainHTTP
        try options.route.apply(to: &configuration, for: target, environment: console.environment)
        options.protocols.apply(to: &configuration)
        options.patience.apply(to: &configuration)
        configuration.decodesContent = !options.noDecode
        configuration.asksForCompression = options.outputPath == nil
        configuration.cookies = try options.cookies.jar()
        options.addSchemes(to: &configuration)
        return configuration
    }

    private func request() throws -> Request {
        var request = Request(url: url, method: method, headerFields: try options.fields())
        request.body = try body?.content()
        return request
    }

    /// What stands on a command line is seen by everybody on the machine, and stays in the shell's history.
    private func warnOfPassword() {
        let isBare = ([url] + (options.route.proxy.map { [$0] } ?? [])).allSatisfy { !$0.holdsPassword }
        if !isBare {
            console.complain(
                "countersign: a password in a URL is seen by everybody on this machine; --password-file keeps it to you"
            )
        }
        if options.header.contains(where: \.holdsCredential) {
            console.complain(
                "countersign: a credential in -H is seen by everybody on this machine; -H @FILE keeps it to you")
        }
        if options.cookies.field != nil {
            console.complain(
                "countersign: a cookie in -b is seen by everybody on this machine; -b FILE keeps it to you")
        }
    }

    private func personalHandlers(_ target: Endpoint) async throws -> PersonalHandlers {
        let credentials = options.credentials
        return PersonalHandlers(
            host: target.host, port: target.port, usesTLS: url.lowercased().hasPrefix("https:"),
            origin: .init(user: credentials.user, password: try credentials.password()),
            proxy: try options.route.login(), token: try credentials.token(),
            netrc: try credentials.readNetrc(on: console),
            identity: try await credentials.identity(asking: console.prompter), showsTickets: options.showsTickets,
            prompter: console.prompter)
    }

    // MARK: The end

    /// What came of it.
    private struct Outcome {
        var delivered: Delivery.Delivered?
        var error: (any Error)?
    }

    private func send(
        _ request: Request, in session: Session, _ people: PersonalHandlers, _ log: EventLog,
        _ upload: UploadProgress
    ) async -> Outcome {
        defer { upload.clear() }
        let delivery = Delivery(method: method, options: options, console: console)
        var outcome = Outcome()
        do {
            if continues, let output = options.outputPath {
                outcome.delivered = try await delivery.download(request, in: session, to: output, log: log)
            } else {
                let response = try await session.send(request)
                upload.clear()
                outcome.delivered = try await delivery.deliver(response, people: people, log: log)
            }
        } catch {
            outcome.error = explain(Task.isCancelled ? CancellationError() : error, people)
        }
        return outcome
    }

    /// Writes what is to be kept of the run, whatever it came to.
    private func finish(_ outcome: Outcome, _ log: EventLog, _ cookies: CookieJar?) throws -> CommandStatus {
        let failure = outcome.error.map(Failure.init)
        do {
            try options.cookies.keep(cookies, on: console)
            try writeTrace(log, failure, received: outcome.delivered?.received)
        } catch {
            guard failure != nil else { throw error }
            console.complain(Failure(error).text)
        }
        if let failure {
            throw CommandFailure(failure: failure, circumstances: Circumstances(url: log.shown(url), log))
        }
        return outcome.delivered?.status ?? .done
    }

    private func writeTrace(_ log: EventLog, _ failure: Failure?, received: Int?) throws {
        guard let path = options.trace else { return }
        let trace = ExchangeTrace(method: method, url: url, clock: log.clock)
        let text = try console.text(json: trace.archive(of: log.all, failure: failure, received: received)) + "\n"
        try OutputPlace(path).write(text, on: console, mode: 0o600)
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
}

extension String {
    /// Whether it is a URL with a password in it, or looks like one.
    fileprivate var holdsPassword: Bool {
        let authority = self[(firstRange(of: "//")?.upperBound ?? startIndex)...].prefix { $0 != "/" }
        return authority.lastIndex(of: "@").map { authority[..<$0].contains(":") } ?? false
    }
}

extension HeaderOption {
    /// Whether it says on the command line what is nobody's business.
    fileprivate var holdsCredential: Bool {
        guard case .field(let field) = self else { return false }
        return Redaction.hides(field)
    }
}
