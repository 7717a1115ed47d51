// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import CommandSupport
import ErrorExplanations
import Identities
import Keychains
import Secrets
import X509

/// The password of a PKCS#12 file or of a private key.
enum ImportPassword: SecretPurpose {
    static let option = "file-password"
    static let subject = "the password of the file"
}

/// `countersign keychain import`.
struct ImportCommand: ConsoleCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        /// PEM, DER, PKCS#7 and PKCS#12.
        case certificates
        case netrc
        case csv
    }

    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import certificates, identities and passwords from a file or a URL.",
        discussion: """
            Supported are PEM, DER, PKCS#7, PKCS#12, .netrc files, and the CSV files that Chrome, Edge, Firefox, Safari, 1Password, \
            Bitwarden, KeePassXC and LastPass export. Each certificate is shown with its fingerprint, and must be confirmed; without a \
            terminal --yes or --fingerprint is needed. Everything is imported, or nothing; contents that cannot be imported are listed first. \
            An existing item is changed if the file has other contents. The path of a URL is \
            ignored. Delete a file with passwords afterwards.

            Example: countersign keychain import client.p12 --host intranet.example
            """)

    @Argument(help: "The file, - for standard input, or a URL of http or https.")
    var source: String?

    @Flag(help: "Move the anchors of 'countersign trust import' into the keychain.")
    var anchors = false

    @Option(help: "The kind of file, if it cannot be recognised.")
    var format: Format?

    @Option(
        help: ArgumentHelp(
            "The trust setting of certificates without a key.",
            discussion: """
                Without it, the certificate of an authority is an anchor. Another certificate is refused, and an intermediate that \
                an authority of the same file has issued is left out: with '--trust anchor' they are anchors too.
                """))
    var trust: TrustSettings.Setting?

    @Option(
        help: "A host for a certificate or an identity; repeatable; all by default.",
        transform: HostArgument.read)
    var host: [String] = []

    @OptionGroup
    var filePassword: SecretOptions<ImportPassword>

    @OptionGroup
    var vouching: CertificateImport

    @OptionGroup
    var item: ItemOptions

    @Flag(
        inversion: .prefixedNo, help: "Change items of the keychain if the file has other contents.")
    var replace = true

    @OptionGroup
    var options: KeychainOptions

    @Flag(help: "Print the result of the import as JSON.")
    var json = false

    var wantsJSON: Bool { json }
    var subject: String? { source.flatMap { CertificateImport.isURL($0) ? $0 : nil } }

    func validate() throws {
        if anchors == (source != nil) { throw ValidationError("Give a file or a URL, or --anchors.") }
    }

    func perform(on console: Console) async throws -> CommandStatus {
        try filePassword.checkContradictions()
        guard let source else { return try await moveAnchors(on: console) }
        let bytes = try await vouching.read(source, warns: !json, on: console)
        let found = try await read(bytes, source, console)
        console.printError(omitted: found.omissions)
        guard !found.items.isEmpty else { throw KeychainCommandError.nothingToImport(path: source.printable) }
        for certificate in found.certificates {
            if !json { try CertificateText.lines(certificate.summary).forEach(console.print) }
            try await vouching.confirm(certificate.summary, certificate.question, on: console)
        }
        let keychain = try await options.unlocked(on: console)
        if found.certificates.isEmpty {
            let expected = try await keychain.effects(ofStoring: found.items, replacing: replace)
            let superseded = zip(expected, found.lines).filter { $0.0.effect == .superseded }.map(\.1)
            if !superseded.isEmpty {
                console.printError(
                    omitted: ["\(Self.lines(superseded)), the same login as a newer line with other contents"])
            }
            let counts = ImportReport(expected, skippedLines: [], omissions: []).counts
            try await console.confirm(
                "Import these passwords (\(counts))?", unless: vouching.yes, otherwise: "Nothing was imported.")
        }
        return try await store(found, in: keychain, on: console)
    }

    private func store(
        _ found: Found, in keychain: UnlockedKeychain, on console: Console
    ) async throws -> CommandStatus {
        let changes = try await keychain.store(found.items, replacing: replace)
        for stored in changes.compactMap(\.item).map(ItemReport.init)
        where host.isEmpty && stored.hosts?.isEmpty == false {
            console.printError(
                "Item \(stored.id) stays for its hosts: \((stored.hosts ?? []).joined(separator: ", ")). Remove it first to import it for all."
            )
        }
        let report = ImportReport(changes, skippedLines: found.skippedLines, omissions: found.omissions)
        if json { try console.print(json: report) } else { try report.lines.forEach(console.print) }
        return console.printError(of: changes.damage)
    }

    private static func lines(_ numbers: [Int]) -> String {
        let shown = numbers.prefix(10).map(String.init).joined(separator: ", ")
        return "line\(numbers.count == 1 ? "" : "s") \(shown)\(numbers.count > 10 ? ", ..." : "")"
    }

    // MARK: Reading

    private struct Found {
        var items: [NewItem] = []
        /// The line numbers at which the items of a list begin.
        var lines: [Int] = []
        /// The certificates whose fingerprints the user has to compare.
        var certificates: [(summary: CertificateSummary, question: String)] = []
        var skippedLines: [Int] = []
        /// The descriptions of contents that are not imported.
        var omissions: [String] = []
    }

    private func read(_ bytes: [UInt8], _ source: String, _ console: Console) async throws -> Found {
        switch format ?? Self.format(of: bytes, named: source) {
        case .netrc:
            let file = try InputFile.naming(source) { try NetrcLogins(bytes, item) }
            return Found(items: file.items, omissions: file.omissions)
        case .csv:
            let list = try InputFile.naming(source) { try PasswordList(bytes) }
            var found = Found(skippedLines: list.skippedLines)
            for login in list.logins {
                let items = login.items(item)
                found.items += items
                found.lines += items.map { _ in login.line }
            }
            found.omissions = list.unreadColumns.map {
                "the column \($0.name.printable), which has values in \($0.lineCount) line\($0.lineCount == 1 ? "" : "s")"
            }
            if !list.skippedLines.isEmpty {
                found.omissions.append("\(Self.lines(list.skippedLines)), without a password")
            }
            return found
        case .certificates: return try await certificates(bytes, source, console)
        }
    }

    /// Returns the format by the name or the first line: a password list begins with the names of its columns.
    private static func format(of bytes: [UInt8], named name: String) -> Format {
        let lower = name.lowercased()
        if lower.hasSuffix("netrc") { return .netrc }
        if lower.hasSuffix(".csv") { return .csv }
        let head = String(decoding: bytes.prefix { $0 != 0x0A && $0 != 0x0D }.prefix(2000), as: UTF8.self).lowercased()
        if head.hasPrefix("machine ") { return .netrc }
        return head.contains(",") && head.contains("password") ? .csv : .certificates
    }

    private func certificates(_ bytes: [UInt8], _ source: String, _ console: Console) async throws -> Found {
        var passphrase = try filePassword.read(console.environment)
        let read = { (passphrase: Secret?) in
            try InputFile.naming(source) {
                try IdentityContents(of: bytes, passphrase: passphrase, privateKeys: .included)
            }
        }
        var contents = try read(passphrase)
        if contents.isLocked {
            let answer = await console.prompter?.ask("Password of \(source.printable): ", isSecret: true)
            guard let answer, !answer.isEmpty else { throw IdentityError.passphraseNeeded }
            passphrase = Secret(answer)
            contents = try read(passphrase)
        }
        let imported = try InputFile.naming(source) { try ImportedCertificates(contents) }
        var found = Found(omissions: imported.omissions(as: trust))
        for (identity, name) in imported.identities {
            found.certificates.append((CertificateSummary(identity.certificate), "Import this identity?"))
            var new = try NewItem.identity(
                identity, hosts: host, label: item.label ?? name ?? "", comment: item.comment ?? "",
                accessibility: item.accessibility)
            new.keepsStoredAccessibility = !item.namesAccessibility
            found.items.append(new)
        }
        let setting = trust ?? .anchor
        for certificate in try imported.certificates(as: trust) {
            found.certificates.append((CertificateSummary(certificate), setting.question))
            let label = item.label ?? contents.friendlyName(of: certificate) ?? ""
            found.items.append(
                try .certificate(
                    certificate, trust: setting, hosts: host, label: label, comment: item.comment ?? ""))
        }
        return found
    }

    // MARK: The anchor folder

    /// Adds the certificates of the folder, and then removes their files.
    private func moveAnchors(on console: Console) async throws -> CommandStatus {
        let folder = AnchorFolder(environment: console.environment)
        let certificates = try folder.certificates()
        let keychain = try await options.unlocked(on: console)
        let items = try certificates.map { try NewItem.certificate($0, trust: .anchor, hosts: host) }
        let changes = try await keychain.store(items)
        for certificate in certificates { try folder.remove(certificate) }
        let report = ImportReport(changes, skippedLines: [], omissions: [])
        if json { try console.print(json: report) } else { try report.lines.forEach(console.print) }
        return console.printError(of: changes.damage)
    }
}

/// The output of `import`.
struct ImportReport: Encodable {
    /// The items that are new.
    let imported: [ItemReport]
    /// The items whose contents were replaced.
    let changed: [ItemReport]
    /// The number of items that were in the keychain before, with the same contents.
    let alreadyThere: Int
    /// The items that were not changed, although the file has other contents for them.
    let retained: [ItemReport]
    /// The number of items for which the file contains a newer version.
    let superseded: Int
    /// The lines of a list without a password.
    let skippedLines: [Int]
    /// The descriptions of contents that were not imported.
    let notImported: [String]
    /// The number of new items, which have no number before they are stored.
    private let newCount: Int

    private enum CodingKeys: CodingKey {
        case imported, changed, alreadyThere, retained, superseded, skippedLines, notImported
    }

    init(_ changes: [ItemChange], skippedLines: [Int], omissions: [String]) {
        let items = { (effect: ItemChange.Effect) in
            changes.filter { $0.effect == effect }.compactMap { $0.item.map { ItemReport($0, effect) } }
        }
        (imported, changed, retained) = (items(.added), items(.changed), items(.retained))
        alreadyThere = changes.count { $0.effect == .equal }
        superseded = changes.count { $0.effect == .superseded }
        newCount = changes.count { $0.effect == .added }
        (self.skippedLines, notImported) = (skippedLines, omissions)
    }

    /// The counts as a part of a sentence.
    var counts: String {
        let others = [(retained.count, "retained"), (superseded, "superseded")].filter { $0.0 > 0 }
        return ([(newCount, "new"), (changed.count, "changed"), (alreadyThere, "equal")] + others)
            .map { "\($0) \($1)" }.joined(separator: ", ")
    }

    var lines: [String] {
        let listed = imported + changed + retained
        let lines = listed.count > 20 ? [] : listed.map { "Item \($0.id): \($0.itemClass) \($0.name)\($0.remark)" }
        let stored = newCount + changed.count
        return lines + ["Imported \(stored) \(stored == 1 ? "item" : "items"): \(counts)."]
    }
}

extension ItemReport {
    fileprivate var name: String {
        let name = label.isEmpty ? place : label
        return (name + (account.map { ", \($0)" } ?? "")).printable
    }

    /// The effect, for an item that is not new.
    fileprivate var remark: String { effect.flatMap { $0 == "added" ? nil : ": \($0)" } ?? "" }
}

extension TrustSettings.Setting {
    fileprivate var question: String {
        switch self {
        case .anchor: "Trust the certificates that it issues?"
        case .pin: "Require its key in every chain?"
        case .distrusted: "Distrust every chain that contains it?"
        }
    }
}
