// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import CommandSession
import CommandSupport
import Countersign
import ErrorExplanations
import HTTPTypes
import Identities
import Keychains
import NIOConcurrencyHelpers
import X509

/// An actor that fetches one URL at a time through one session, according to the settings.
///
/// There is only one fetch at a time, because a session does not report to which request an event or challenge belongs.
actor Fetcher {
    /// The maximum number of stored fetches with their files.
    private static let jobLimit = 8
    private static let maximumHistoryCount = 20
    /// The maximum size of a fetched file, in bytes.
    static let maximumFileSize = 1 << 30

    private let environment: [String: String]
    private let folder: PrivateFolder
    private let file: SettingsFile
    private let keychain: WebKeychain
    private let circumstances = NIOLockedValueBox<WebHandlers.Circumstances?>(nil)
    private let storesPermanently = NIOLockedValueBox(false)
    /// The value of ``SettingsFile/Contents/countsKeychain``.
    private var countsKeychain: Bool
    private var session: HTTPSession?
    /// The fetches, the latest first.
    private var jobs: [FetchJob] = []
    private var jobCount = 0
    private var isClosed = false
    private(set) var settings: WebSettings
    private(set) var history: [String]
    /// The identity that is presented without a question to the host of each fetched URL.
    private(set) var earlyIdentity: Identity?
    /// Anchors that are trusted in addition to the settings, until the program ends.
    private(set) var sessionAnchors: [Certificate] = []

    init(environment: [String: String], folder: PrivateFolder, keychain: WebKeychain) throws {
        self.environment = environment
        self.folder = folder
        self.keychain = keychain
        file = SettingsFile(environment: environment)
        let contents = try file.read()
        settings = contents.settings ?? WebSettings()
        history = contents.history ?? []
        countsKeychain = contents.countsKeychain ?? false
        storesPermanently.withLockedValue { [settings] in $0 = settings.credentials == .permanent }
    }

    // MARK: Fetching

    func job(_ number: Int) -> FetchJob? { jobs.first { $0.number == number } }

    /// Starts a fetch, and stops the running one.
    func fetch(_ text: String) async throws -> FetchJob {
        let url = Self.complete(text)
        _ = try HostEndpoint(of: url)
        jobCount += 1
        let job = FetchJob(number: jobCount, url: url, path: folder.path + "/\(jobCount)")
        jobs.insert(job, at: 0)
        for old in jobs.dropFirst(Self.jobLimit) {
            await old.stop()
            old.removeFile()
        }
        jobs.removeLast(max(0, jobs.count - Self.jobLimit))
        try remember(url)
        try await run(job)
        return job
    }

    /// Starts a fetch, or resumes a stopped one.
    func run(_ job: FetchJob) async throws {
        guard !isClosed else { return }
        // The search is repeated after each wait, because another request may have started a fetch.
        while let other = jobs.first(where: \.isRunning) { await other.stop() }
        circumstances.withLockedValue { [settings, earlyIdentity] in
            $0 = .init(job: job, settings: settings, identity: earlyIdentity)
        }
        let session = try openSession()
        job.run { [self] in
            do {
                var request = SessionRequest(url: job.url, headerFields: [.accept: "*/*"])
                request.policies = try await policies(for: job)
                return await Self.download(request, for: job, in: session)
            } catch {
                return Task.isCancelled ? .stopped : .failed(Failure(error))
            }
        }
    }

    /// Returns the server policies; if the keychain contains some of them and is locked,
    /// the user is asked to unlock it.
    private func policies(for job: FetchJob) async throws -> DomainPolicies {
        var problem: String?
        while true {
            do {
                return try await policies(settings.trust, besides: sessionAnchors)
            } catch CredentialsError.trustLocked {
                let hasPIN = try await keychain.slots?.contains { $0.kind == .pin } ?? false
                switch await job.ask(.unlock(UnlockQuestion(hasPIN: hasPIN, problem: problem))) {
                case .unlock(let method):
                    do {
                        try await keychain.unlock(method)
                        problem = nil
                    } catch let error as KeychainError {
                        problem = error.explanation.text
                    }
                case .keychainUnlocked: problem = nil
                default: throw CredentialsError.trustLocked
                }
            }
        }
    }

    /// Returns the server policies of the settings and the keychain.
    ///
    /// - Throws: ``CredentialsError/trustLocked``, ``CredentialsError/keychainMissing(path:)``, `KeychainError`,
    ///   `KeychainAgentError`, and errors from reading the imported anchors.
    private func policies(
        _ trust: WebSettings.Trust, besides anchors: [Certificate] = []
    ) async throws -> DomainPolicies {
        let policies = DomainPolicies(fallback: ServerPolicy(trust: try trust.policy(environment)))
        var rules = TrustSettings(anchors.map { .init($0, .anchor) })
        if trust == .imported { rules.entries += try await keychainRules }
        return rules.policies(policies)
    }

    private var keychainRules: [TrustSettings.Entry] {
        get async throws {
            switch try await keychain.state {
            case .missing:
                guard !countsKeychain else { throw CredentialsError.keychainMissing(path: keychain.path) }
                return []
            case .locked:
                try countKeychain()
                throw CredentialsError.trustLocked
            case .open(let unlocked):
                try countKeychain()
                let rules = try await unlocked.trustSettings
                await keychain.recordUse(idleLimit: settings.idleLimitOfServer)
                return rules.entries.filter { $0.setting != .anchor || $0.hosts.isEmpty }
            }
        }
    }

    private func countKeychain() throws {
        guard !countsKeychain else { return }
        var contents = try file.read()
        contents.countsKeychain = true
        try file.write(contents)
        countsKeychain = true
    }

    private static func download(_ request: SessionRequest, for job: FetchJob, in session: HTTPSession) async
        -> FetchJob.Stage
    {
        let transfer = session.beginDownload(request, toPath: job.path)
        do {
            return try await withTaskCancellationHandler {
                for await progress in transfer.progress {
                    guard progress.completed <= maximumFileSize else {
                        transfer.cancel()
                        throw WebError.fileTooLarge(limit: maximumFileSize)
                    }
                    job.note(progress)
                }
                let file = try await transfer.value
                return .done(file, status: job.lastStatus ?? "")
            } onCancel: {
                transfer.cancel()
            }
        } catch {
            var response: ResponseSummary?
            if case SessionError.response(.downloadRefused(let summary)) = error { response = summary }
            return Task.isCancelled ? .stopped : .failed(Failure(error), response)
        }
    }

    /// Completes a URL that the user typed: without a scheme, it becomes an https URL.
    private static func complete(_ text: String) -> String {
        let words = text.split(whereSeparator: \.isWhitespace)
        let url = words.count == 1 ? String(words[0]) : text
        return url.contains("://") ? url : "https://" + url
    }

    /// Fetches a certificate file from a server that is trusted by the settings,
    /// or by default if they disable validation.
    ///
    /// - Throws: `CommandError`, `SessionError`, ``CredentialsError/trustLocked`` and other keychain errors, and errors
    ///   from reading the anchors.
    func certificates(at url: String) async throws -> [UInt8] {
        let policies = try await policies(settings.trust == .disabled ? .default : settings.trust)
        var configuration = HTTPSession.Configuration(policies: policies)
        configuration.proxies = try .chosen(by: nil, except: nil, environment: environment)
        configuration.anchorEnvironment = environment
        return try await CertificateImport.fetch(url, with: configuration)
    }

    private func openSession() throws -> HTTPSession {
        if let session { return session }
        let handlers = WebHandlers(circumstances: circumstances, keychain: keychain)
        var configuration = HTTPSession.Configuration(handlers: handlers.handlers)
        configuration.proxies = try .chosen(by: nil, except: nil, environment: environment)
        configuration.anchorEnvironment = environment
        configuration.credentialStore = OptionalCredentialStore(keychain: keychain) { [storesPermanently] in
            storesPermanently.withLockedValue { $0 }
        }
        configuration.cookies = CookieJar()
        configuration.observer = { [circumstances] event in circumstances.withLockedValue { $0 }?.job.note(event) }
        let new = HTTPSession(configuration)
        session = new
        return new
    }

    // MARK: Settings

    /// Applies new settings, starting with the next request.
    ///
    /// - Throws: ``CredentialsError/keychainNeeded`` if credentials are to be saved in a locked keychain, and errors of
    ///   the keychain and from writing the settings; nothing is changed then.
    func change(to new: WebSettings) async throws {
        if new.credentials == .permanent, settings.credentials != .permanent {
            guard case .open = try await keychain.state else { throw CredentialsError.keychainNeeded }
        }
        if new.trust == .imported { _ = try new.trust.policy(environment) }
        var contents = try file.read()
        contents.settings = new
        // A missing keychain is no longer reported after a change of the trust setting.
        if new.trust != settings.trust { contents.countsKeychain = nil }
        // Disabled trust is never saved, so that each start of the program validates servers again.
        if new.trust == .disabled { contents.settings?.trust = .default }
        contents.history = new.history == .permanent ? history.filter(Self.isWithoutSecrets) : nil
        try file.write(contents)
        // The session's credentials are discarded if they are to be stored for a shorter time.
        if new.credentials != settings.credentials { await forgetCredentials() }
        (settings, countsKeychain) = (new, contents.countsKeychain ?? false)
        storesPermanently.withLockedValue { $0 = new.credentials == .permanent }
        if new.history == .none { history = [] }
    }

    func setEarlyIdentity(_ identity: Identity?) async {
        earlyIdentity = identity
        // A connection keeps the identity with which it was opened.
        await forgetCredentials()
    }

    func setSessionAnchors(_ anchors: [Certificate]) { sessionAnchors = anchors }

    /// Discards the passwords, the identities, the accepted servers and the cookies of the session.
    func forgetCredentials() async {
        for job in jobs { await job.stop() }
        let old = session
        session = nil
        await old?.close()
    }

    // MARK: History

    private func remember(_ url: String) throws {
        guard settings.history != .none else { return }
        let shown = url.droppingUserInfo
        history = Array(([shown] + history.filter { $0 != shown }).prefix(Self.maximumHistoryCount))
        try writeHistory()
    }

    /// The stored fetches, the latest first; none if the history is off.
    var storedJobs: [FetchJob] { settings.history == .none ? [] : jobs }

    /// Discards the URLs, and the fetches with their files.
    func clearHistory() async throws {
        history = []
        for job in jobs {
            await job.stop()
            job.removeFile()
        }
        jobs = []
        try writeHistory()
    }

    private func writeHistory() throws {
        guard settings.history == .permanent else { return }
        var contents = try file.read()
        contents.history = history.filter(Self.isWithoutSecrets)
        try file.write(contents)
    }

    private static func isWithoutSecrets(_ url: String) -> Bool { Redaction.url(url) == url }

    // MARK: Shutdown

    /// Stops all fetches, and ends the event streams that follow them.
    func close() async {
        isClosed = true
        for job in jobs {
            await job.stop()
            job.observers.end()
        }
        await session?.close()
    }
}
