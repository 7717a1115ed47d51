// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import AuthorityAccess
import AuthorityStore
import CertificateAuthorities
import CommandSupport
import ErrorExplanations
import EssentialFoundation
import Identities
import X509

/// `countersign ca renew`.
struct RenewCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew", abstract: "Renew a certificate in place, with a new key, and run its hook.",
        discussion: """
            --all renews certificates with less than a third of their lifetime left. --write-timer makes the system do that every day: with \
            a systemd timer for this user, or a launchd job on macOS. Each authority has its own timer, which reads \
            the passphrase or the PIN from the same file as this command. A certificate for the key of a request keeps that key. \
            The previous certificate stays valid until it expires or is revoked.

            --issuing renews the certificate of the issuing authority, which needs the root's key for a moment. It keeps its name \
            and its key, so everything that it issued stays valid.

            Example: countersign ca renew --all
            """)

    @Argument(help: "The name, the serial number or the file of a certificate.")
    var certificate: String?

    @Flag(help: "Renew every certificate that is due.")
    var all = false

    @Flag(help: "Renew the issuing authority's own certificate, with the root's key.")
    var issuing = false

    @Flag(help: "Write the files of a timer that runs 'renew --all' every day.")
    var writeTimer = false

    @OptionGroup
    var options: SigningOptions

    var wantsJSON: Bool { false }

    func validate() throws {
        if [certificate != nil, all, issuing, writeTimer].count(where: { $0 }) != 1 {
            throw ValidationError("Give a certificate, --all, --issuing or --write-timer.")
        }
        try options.checkContradictions()
        if writeTimer {
            try Self.requireFile(options.keyPassphrase)
            try Self.requireFile(options.tokenPIN)
        }
    }

    /// Refuses a secret that only this run of the command can read.
    private static func requireFile<Purpose>(_ secret: SecretOptions<Purpose>) throws {
        guard secret.isGiven, secret.file == nil else { return }
        throw ValidationError(
            "\(secret.name) is not available when the timer runs. Give --\(Purpose.option)-file FILE.")
    }

    func perform(on console: Console) async throws -> CommandStatus {
        if writeTimer {
            try await writeTimer(on: console)
            return .done
        }
        if issuing {
            try await renewIssuing(on: console)
            return .done
        }
        let open = try await options.open(on: console)
        if let certificate {
            try await renew(open.store.certificate(matching: certificate), open, console)
            return .done
        }
        let now = Date()
        let due = try await open.store.certificates.filter { $0.isDue(at: now) && $0.files != nil }
        var failed = 0
        for one in due {
            try Task.checkCancellation()
            do {
                try await renew(one, open, console)
            } catch {
                failed += 1
                console.printError("\(one.name): \(Failure(error).text(console.errorOptions))")
            }
        }
        guard failed == 0 else { throw AuthorityCommandError.notAllRenewed(failed: failed, of: due.count) }
        if due.isEmpty { try console.print("Nothing is due.") }
        return .done
    }

    private func writeTimer(on console: Console) async throws {
        // A timer that cannot open the key would fail every night without notice.
        if case .keychain(let label) = try await options.place.store(console).settings.issuingKey {
            console.printError(
                "countersign: the key \"\(label.printable)\" is in the keychain; the timer renews while that is unlocked"
            )
        } else {
            _ = try await options.open(on: console.asking(nil))
        }
        let timer = RenewalTimer(options, on: console)
        for path in try timer.write() { try console.print("Wrote \(path.printable).") }
        try console.print("Start it with: \(timer.start)")
        if let note = timer.noteOnOlderTimer { console.printError(note) }
    }

    private func renewIssuing(on console: Console) async throws {
        let store = try await options.place.store(console)
        let settings = try await store.settings
        let chain = try settings.certificates
        guard let old = chain.first, let root = chain.last else { throw AuthorityStoreError.damaged }
        guard chain.count > 1 else { throw AuthorityCommandError.noIssuingAuthority }
        let identity = try await options.keys(console).load(settings.rootKey, chain: [root], on: console)
        let now = Date()
        let renewed = try CertificateAuthority(identity).renew(old, validity: .days(old.days), now: now)
        try await store.replaceChain(renewed, now: now)
        try console.print(
            "Renewed the issuing authority, valid until \(CertificateText.day(renewed[0].notValidAfter)).")
        try console.print("Restart 'countersign ca serve' if it runs, and take the root's key offline again.")
    }

    private func renew(_ old: IssuedCertificate, _ open: OpenAuthority, _ console: Console) async throws {
        guard let files = old.files, var profile = LeafProfile(of: old.certificate) else {
            throw AuthorityCommandError.noFiles(old.name)
        }
        try await open.store.requireRecorded(old.serial)
        guard files.key != nil || old.revokedAt == nil else { throw AuthorityCommandError.revokedKey(old.name) }
        profile.validity = .days(old.certificate.days)
        var issuance = Issuance(authority: open, name: old.name, profile: profile, files: files)
        issuance.replaced = old
        let now = Date()
        let end =
            files.key == nil
            ? try await issuance.issue(for: old.certificate.publicKey, now: now)[0].notValidAfter
            : try await issuance.issue(now: now).certificate.notValidAfter
        try console.print("Renewed \(old.name.printable), valid until \(CertificateText.day(end)).")
        try Issuance.runHook(files.hook)
    }
}

extension Certificate {
    /// The validity period in days, at least 1.
    fileprivate var days: Int {
        max(1, Int((notValidAfter.timeIntervalSince(notValidBefore) / 86_400).rounded(.down)))
    }
}

extension IssuedCertificate {
    /// Returns whether less than a third of the certificate's lifetime is left.
    func isDue(at now: Date) -> Bool {
        guard state(at: now) == .valid || state(at: now) == .expired, replacedBy == nil else { return false }
        let lifetime = certificate.notValidAfter.timeIntervalSince(certificate.notValidBefore)
        return certificate.notValidAfter.timeIntervalSince(now) < lifetime / 3
    }
}
