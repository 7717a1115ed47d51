// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import CommandSession
import CommandSupport
import Countersign
import HTTPTypes
import KeychainService

/// The transfers for the URLs of a command line, from the options to the exit status.
struct TransferRun {
    let method: HTTPRequest.Method
    /// The URLs as typed on the command line, or those of the discovered services.
    var urls: [String]
    /// The services that were named instead of URLs.
    let services: ServiceTargets?
    var found: [FoundService] = []
    let options: any TransferOptions
    let body: BodyOptions
    let partialFiles: PartialFileUse
    let console: Console

    func perform() async throws -> CommandStatus {
        try checkCurlUsage()
        try options.checkUnusedOptions(console.environment, urls: urls.count)
        try checkStandardInput()
        if partialFiles != .none { try checkResumptionOptions() }
        let program = try services.map { _ in try DiscoverProgram.path() }
        if services == nil { _ = try endpoints }
        warnOfPassword()
        let limit = TimeLimit(options.timeouts.limits.maxTime)
        do {
            return try await limit.run {
                let run = try await finding(with: program)
                return try await run.perform(for: run.endpoints, within: limit)
            }
        } catch  where !(error is CommandFailure) {
            throw limit.reason(for: error, of: urls[0])
        }
    }

    private var endpoints: [HostEndpoint] {
        get throws { try urls.map { try HostEndpoint(of: $0) } }
    }

    /// Returns the same run with the URLs of the services.
    private func finding(with program: String?) async throws -> TransferRun {
        guard let services, let program else { return self }
        var run = self
        run.found = try await services.find(with: program)
        run.urls = run.found.map(\.url)
        for service in run.found {
            if options.verbose {
                console.printError("* \"\(service.name.label)\" is at \(service.url), \(service.destination)")
            }
            if !service.name.isSecure {
                console.printError(
                    "countersign: warning: any computer on the network can answer as \"\(service.name.label)\", and without TLS nothing proves which one does."
                )
            }
        }
        return run
    }

    private func perform(for endpoints: [HostEndpoint], within limit: TimeLimit) async throws -> CommandStatus {
        let writeOut = try options.outputs.writeOut.map(WriteOutFormat.init(argument:))
        try options.outputs.requireFolder()
        let targets = try options.outputs.targets(for: urls, continues: partialFiles == .continued)
        let names = try options.outputNames(targets, of: urls, partialFiles)
        let upload = UploadProgress(on: console)
        let requests = try requests(upload)
        let keychain = options.trust.keychain.makeClient()
        // Questions of simultaneous transfers would mix on the terminal.
        let originHandlers = try await options.personalHandlers(
            for: urls, keychain, on: console, asks: !options.parallel.isParallel && found.allSatisfy(\.name.isSecure))
        let printLine = options.verbose ? { @Sendable (line: String) in console.printError(line) } : nil
        let log = EventLog(showsSecrets: options.showSecrets, printLine: printLine)
        if let printLine, requests.contains(where: { $0.headerFields[.authorization] != nil }),
            let unused = options.credentials.unusedBesideAuthorization(ofURLs: urls)
        {
            printLine("* the field Authorization of -H is sent, and \(unused)")
        }
        var configuration = try await configuration(for: endpoints, originHandlers, keychain)
        configuration.observer = { event in
            upload.clear()
            log.note(event)
            for person in originHandlers {
                person.note(event)
                if let printLine { person.misfitLines(event).forEach { printLine("* " + $0) } }
            }
        }
        let heads = HeaderDump(options.outputs.dumpHeader, on: console)
        let connectTargets = configuration.connectTargets
        let transfers = zip(requests, targets).enumerated().map { number, pair in
            let person = originHandlers.first { $0.isOrigin(of: urls[number]) } ?? originHandlers[0]
            return SingleTransfer(
                number: number, url: urls[number], request: sending(pair.0, as: person), target: pair.1,
                options: options, partialFiles: partialFiles, console: console, originHandlers: person, log: log,
                upload: upload, names: names, limit: limit, heads: heads, writeOut: writeOut,
                connectTargets: connectTargets)
        }
        let session = HTTPSession(configuration)
        let queue = TransferQueue(transfers: transfers, options: options.parallel, console: console)
        let outcomes = await queue.run(in: session)
        await session.close()
        return try finish(outcomes, log, heads, configuration.cookies, within: limit)
    }

    /// Explains arguments that are valid in curl but would be parsed as URLs here.
    private func checkCurlUsage() throws(UsageError) {
        if partialFiles == .continued, urls.contains("-") {
            throw .curl("-C takes no value here: it resumes at the end of what is there.")
        }
        if options.json, urls.contains(where: { $0.hasPrefix("{") || $0.hasPrefix("[") }) {
            throw .curl("--json prints a report here: --json-body sends JSON.")
        }
    }

    private func checkResumptionOptions() throws(UsageError) {
        let (outputs, option) = (options.outputs, partialFiles == .continued ? "--continue" : "--partial")
        if outputs.isStandardOutput { throw .useless(option, without: "-o FILE or -O") }
        if outputs.remoteHeaderName { throw .contradiction(option, "--remote-header-name") }
        if outputs.include { throw .contradiction(option, "--include") }
    }

    private func configuration(
        for targets: [HostEndpoint], _ originHandlers: [OriginHandlers], _ keychain: KeychainClient?
    ) async throws -> HTTPSession.Configuration {
        var configuration = try await options.configuration(for: targets, originHandlers, keychain, on: console)
        options.request.apply(to: &configuration)
        try found.apply(to: &configuration, options)
        configuration.decodesContent = !options.noDecode
        configuration.asksForCompression = options.compressed || options.outputs.isStandardOutput
        configuration.cookies = try options.cookies.jar()
        return configuration
    }

    private func requests(_ upload: UploadProgress) throws -> [SessionRequest] {
        var fields = try options.fields()
        let (host, content, query) = (try fields.takeHost(), try body.content(), try body.query())
        return try urls.map { url in
            var place = query.map(url.appendingRawQuery) ?? url
            if let file = body.uploadFile { place = try place.appendingName(of: file) }
            var request = SessionRequest(url: place, method: method, headerFields: fields)
            if let host { request = request.host(host.host, port: host.port) }
            request.body = showsUploads ? content.map(upload.watching) : content
            return request
        }
    }

    private var showsUploads: Bool { !options.outputs.silent && !options.parallel.isParallel }

    private func sending(_ request: SessionRequest, as person: OriginHandlers) -> SessionRequest {
        var request = request
        request.identifier = RequestIdentifier()
        guard options.credentials.sendCredentialsAcrossRedirects else { return request }
        request.sendsCredentialsAcrossRedirects = true
        request.credential = person.explicitCredential
        return request
    }

    /// Refuses more than one reader of standard input, which can be a secret or the body.
    private func checkStandardInput() throws(UsageError) {
        var readers = options.readersOfStandardInput
        if let reader = body.readerOfStandardInput { readers.append(reader) }
        if readers.count > 1 { throw .contradiction(readers[0], readers[1]) }
    }

    /// Warns about secrets on the command line, which other users see in the process list, and which the shell's
    /// history keeps.
    private func warnOfPassword() {
        let logins = [("--user", options.credentials.user), ("--proxy-user", options.route.proxyUser)]
        let open = logins.filter { $0.1?.password != nil }.map(\.0)
        if !open.isEmpty {
            console.printError(
                "countersign: other users of this machine can see the password in \(open.joined(separator: " and ")) in the "
                    + "process list; use \(open.contains("--user") ? "--password" : "--proxy-password")-file, -stdin or -env"
            )
        }
        if urls.contains(where: \.holdsPassword) {
            console.printError(
                "countersign: other users of this machine can see the password in a URL in the process list; "
                    + "use --user and --password-file, -stdin or -env")
        }
        if let proxy = options.route.proxy, proxy.holdsPassword {
            console.printError(
                "countersign: other users of this machine can see the password in --proxy in the process list; "
                    + "use --proxy-user and --proxy-password-file, -stdin or -env")
        }
        if options.request.header.contains(where: \.holdsCredential) {
            console.printError(
                "countersign: other users of this machine can see a credential in -H in the process list; use -H @FILE")
        }
        if options.cookies.field != nil {
            console.printError(
                "countersign: other users of this machine can see a cookie in -b in the process list; use -b FILE")
        }
    }

    // MARK: Completion

    /// Writes the output files of the run, whatever its outcome.
    ///
    /// - Returns: The status of the first transfer that failed, in the order of the URLs.
    private func finish(
        _ outcomes: [SingleTransfer.Outcome], _ log: EventLog, _ heads: HeaderDump, _ cookies: CookieJar?,
        within limit: TimeLimit
    ) throws -> CommandStatus {
        let alone = urls.count == 1 ? outcomes.first : nil
        do {
            try heads.finish()
            try options.cookies.keep(cookies, on: console)
            try writeTrace(log, alone?.unreported, received: alone?.facts.response == nil ? nil : alone?.facts.received)
        } catch {
            guard outcomes.contains(where: { $0.facts.failure != nil }) else { throw error }
            console.printError(Failure(limit.reason(for: error, of: urls[0])))
        }
        if let failure = alone?.unreported {
            throw CommandFailure(failure: failure, circumstances: log.circumstances(of: urls[0]))
        }
        try Task.checkCancellation()
        return outcomes.map(\.facts.status).first { $0 != .done } ?? .done
    }

    private func writeTrace(_ log: EventLog, _ failure: Failure?, received: Int?) throws {
        guard let path = options.trace else { return }
        let trace = ExchangeTrace(method: method, url: urls[0], clock: log.clock)
        let text = try console.text(json: trace.archive(of: log.all, failure: failure, received: received)) + "\n"
        try OutputDestination(path).write(text, on: console, mode: 0o600)
    }
}

extension TransferOptions {
    /// Returns the names of the files that are known before the first response.
    ///
    /// - Parameters:
    ///   - targets: The destinations of the bodies.
    ///   - urls: The URLs, in the same order.
    ///   - partialFiles: The use of partial files, which have names next to the final ones.
    /// - Returns: The names, to which those that servers give are added.
    /// - Throws: ``RemoteNameError/shared(_:_:path:)`` if one file would replace another.
    fileprivate func outputNames(
        _ targets: [BodyTarget], of urls: [String], _ partialFiles: PartialFileUse
    ) throws(RemoteNameError) -> OutputNames {
        let names = OutputNames()
        var partialNames: [(path: String, owner: String)] = []
        for (position, target) in targets.enumerated() {
            guard let path = target.path else { continue }
            let url = urls[position].droppingUserInfo
            let owner = outputs.remoteName ? "the URL \(url)" : "-o \(outputs.output[position])"
            try names.claim(path, for: owner)
            guard partialFiles != .none else { continue }
            partialNames += [".part", ".part-note"].map { (OutputTarget(path).path + $0, "the \($0) file of \(owner)") }
        }
        for (path, owner) in partialNames { try names.claim(path, for: owner) }
        if case .file(let path)? = outputs.dumpHeader { try names.claim(path, for: "-D \(path)") }
        if let trace, trace != "-" { try names.claim(trace, for: "--trace \(trace)") }
        if let jar = cookies.cookieJar, jar != "-" { try names.claim(jar, for: "-c \(jar)") }
        return names
    }
}

extension String {
    /// Whether the text is a URL with a password, or looks like one.
    fileprivate var holdsPassword: Bool {
        let authority = self[(firstRange(of: "//")?.upperBound ?? startIndex)...].prefix { $0 != "/" }
        return authority.lastIndex(of: "@").map { authority[..<$0].contains(":") } ?? false
    }
}
