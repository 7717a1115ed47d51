// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEClients
import AuthorityStore
import CertificateAuthorities
import CommandSupport
import Countersign
import EssentialFoundation
import Identities
import X509

/// A certificate that is ordered by ACME, and renewed by a new order when it is due.
struct ACMEOrder {
    /// The expected interval between two runs of the command; a certificate that becomes due before the next run is
    /// renewed.
    private static let interval: TimeInterval = 86_400

    let directory: String
    let options: ACMEOrderOptions
    let identifiers: [ACMEIdentifier]
    let keyType: CertificateAuthority.KeyType
    let files: IssuedFiles

    /// The result of an order.
    enum Outcome {
        case issued(Certificate)
        /// The existing certificate is not due for renewal.
        case notDue(Certificate)
    }

    /// Orders the certificate if there is none yet or if it is due.
    ///
    /// - Throws: `ACMEClientError`, `SessionError`, `FileError` and errors of a hook.
    func run(on console: Console) async throws -> Outcome {
        let anchors =
            try AnchorFiles.anchors(options.anchor, on: console)
            + AnchorFolder(environment: console.environment).certificates().map { CertificateSummary($0) }
        var configuration = HTTPSession.Configuration(
            trust: TrustPolicy(anchors: anchors.isEmpty ? .system : .systemAnd(anchors)))
        configuration.anchorEnvironment = console.anchorEnvironment
        let session = HTTPSession(configuration)
        let client = try await ACMEClient(directory: directory, over: session)
        let present = try existingCertificate()
        var replaced: CertificateIdentifier?
        if let present {
            switch try await state(of: present, client) {
            case .notDue: return .notDue(present)
            case .due(let known): replaced = known
            }
        }
        if let note = options.externalAccount.flatMap(FilePermissions.note(onSecret:)) { console.printError(note) }
        let account = try await client.register(
            ACMEAccountFile(directory: directory, console.environment).key(),
            contact: options.contact.map { $0.hasPrefix("mailto:") ? $0 : "mailto:\($0)" },
            agreesToTerms: options.agreeToTerms, external: try options.readExternalAccount())
        let key = try keyType.makeKey()
        let answers = try await ChallengeAnswers.start(options)
        let issued: IssuedChain
        do {
            issued = try await obtain(key, with: account, answers, replacing: replaced)
        } catch {
            await answers.stop()
            throw error
        }
        await answers.stop()
        if let path = files.key {
            try OutputFile.write(String(decoding: Identity.pemEncoded(key), as: UTF8.self), to: path, mode: 0o600)
        }
        let chain = String(decoding: try CertificateFile.pem(issued.chain), as: UTF8.self)
        try OutputFile.write(chain, to: files.chain, mode: 0o644)
        return .issued(issued.certificate)
    }

    private func obtain(
        _ key: Certificate.PrivateKey, with account: ACMEAccount, _ answers: ChallengeAnswers,
        replacing replaced: CertificateIdentifier?
    ) async throws -> IssuedChain {
        func order(replacing replaced: CertificateIdentifier?) async throws -> IssuedChain {
            try await account.obtain(
                identifiers, key: key, answering: answers.responders, profile: options.profile, replacing: replaced)
        }
        do {
            return try await order(replacing: replaced)
        } catch ACMEClientError.refused(let problem, _) where replaced != nil && problem.type == .alreadyReplaced {
            return try await order(replacing: nil)
        }
    }

    /// Returns the existing certificate, or `nil` if there is none for these names and the key in the key file.
    private func existingCertificate() throws -> Certificate? {
        guard FileManager.default.fileExists(atPath: files.chain) else {
            // A key without a certificate belongs to something else, or was left by a run that was killed.
            guard files.key.map({ FileManager.default.fileExists(atPath: $0) }) != true || options.force else {
                throw AuthorityCommandError.fileExists(path: files.key ?? "")
            }
            return nil
        }
        let chain = try InputFile.naming(files.chain) {
            try CertificateFile.certificates(in: InputFile.read(files.chain))
        }
        guard let leaf = chain.first, ACMEIdentifier.all(in: leaf) == Set(identifiers),
            let key = files.key, let bytes = try? InputFile.read(key),
            (try? Certificate.PrivateKey(pemEncoded: String(decoding: bytes, as: UTF8.self)))?.publicKey
                == leaf.publicKey
        else { return nil }
        return leaf
    }

    private enum State {
        case notDue
        /// The certificate is due. Holds its identifier if the authority offers renewal information.
        case due(CertificateIdentifier?)
    }

    /// Asks the authority whether a certificate is due (RFC 9773 section 4.2), or decides by its remaining lifetime if
    /// the authority does not offer that information.
    private func state(of certificate: Certificate, _ client: ACMEClient) async throws -> State {
        guard let identifier = CertificateIdentifier(certificate) else { return .due(nil) }
        if options.force { return .due(client.directory.renewalInfo == nil ? nil : identifier) }
        let now = Date()
        do {
            let window = try await client.renewalInfo(of: identifier).info.suggestedWindow
            let (start, end) = (window.start, max(window.start, window.end))
            let instant = start.addingTimeInterval(.random(in: 0...end.timeIntervalSince(start)))
            return instant < now.addingTimeInterval(Self.interval) ? .due(identifier) : .notDue
        } catch ACMEClientError.notOffered {
            let lifetime = certificate.notValidAfter.timeIntervalSince(certificate.notValidBefore)
            return certificate.notValidAfter.timeIntervalSince(now) < lifetime / 3 ? .due(nil) : .notDue
        } catch ACMEClientError.refused, ACMEClientError.unexpectedResponse {
            // Another authority issued the certificate.
            return .due(nil)
        }
    }
}

/// The file of an ACME account key, one for each directory.
struct ACMEAccountFile {
    private let folder: URL
    private let file: URL

    init(directory: String, _ environment: [String: String]) {
        folder = ConfigurationFolder.url(environment).appending(path: "acme", directoryHint: .isDirectory)
        let place = directory.split(separator: "://", maxSplits: 1).last.map(String.init) ?? directory
        file = folder.appending(path: place.fileName + ".pem")
    }

    /// Returns the account key, and creates one if there is none.
    ///
    /// - Throws: AuthorityCommandError, `UnsafeFileError`, `ExposedKeyError`, `FileError`.
    func key() throws -> AccountKey {
        guard FileManager.default.fileExists(atPath: file.path) else { return try makeKey() }
        try FilePermissions.check(file.path, in: folder.path)
        try FilePermissions.checkKey(file.path)
        let text = String(decoding: try InputFile.read(file.path), as: UTF8.self)
        guard let key = try? AccountKey(Certificate.PrivateKey(pemEncoded: text)) else {
            throw AuthorityCommandError.malformedAccountKey(path: file.path)
        }
        return key
    }

    private func makeKey() throws -> AccountKey {
        let key = try CertificateAuthority.KeyType.p256.makeKey()
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try OutputFile.write(Identity.pemEncoded(key), to: file.path, mode: 0o600, replaces: false)
        return try AccountKey(key)
    }
}
