// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import CommandSupport
import ErrorExplanations
import Identities
import Keychain
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
            Read are PEM, DER, PKCS#7, PKCS#12, .netrc files, and the CSV files that Chrome, Edge, Firefox, Safari, 1Password, \
            Bitwarden, KeePassXC and LastPass export. Each certificate is shown with its fingerprint, and asked for; off a \
            terminal --yes or --fingerprint is needed. All is imported, or nothing. Delete a file with passwords afterwards.

            Example: countersign keychain import client.p12 --host intranet.example
            """)

    @Argument(help: "The file, - for standard input, or a URL of http or https.")
    var source: String?

    @Flag(help: "Move in the anchors that 'countersign trust import' keeps in a folder.")
    var anchors = false

    @Option(help: "The kind of file, where its content does not tell.")
    var format: Format?

    @Option(help: "What a certificate without its key means for servers. Without it, anchor.")
    var trust: TrustSettings.Setting?

    @Option(
        help: "A host that a certificate or an identity is for; repeatable. Without it, all.",
        transform: HostArgument.read)
    var host: [String] = []

    @OptionGroup
    var filePassword: SecretOptions<ImportPassword>

    @OptionGroup
    var vouching: CertificateImport

    @OptionGroup
    var item: ItemOptions

    @OptionGroup
    var options: KeychainOptions

    @Flag(help: "Print what was imported as JSON.")
    var json = false

    var wantsJSON: Bool { json }
    var subject: String? { source.flatMap { CertificateImport.isURL($0) ? $0 : nil } }

    func validate() throws {
        if anchors == (source != nil) { throw ValidationError("Give a file or a URL, or --anchors.") }
    }

    func perform(on console: Console) async throws -> CommandStatus {
        try filePassword.refuseContradictions()
        guard let source else { return try await moveAnchors(on: console) }
        let bytes = try await vouching.read(source, warns: !json, on: console)
        let found = try await read(bytes, source, console)
        guard !found.items.isEmpty else { throw KeychainCommandError.nothingToImport(path: source.printable) }
        for certificate in found.certificates {
            if !json { try CertificateText.lines(certificate.summary).forEach(console.print) }
            try await vouching.confirm(certificate.summary, certificate.question, on: console)
        }
        if found.certificates.isEmpty, !vouching.yes {
            try await console.confirm(
                "Import \(found.items.count) passwords?", otherwise: "Nothing was imported.")
        }
        let keychain = try await options.unlocked(on: console)
        let new = try await keychain.missing(found.items)
        let added = try await keychain.add(new)
        let report = ImportReport(
            imported: added.map(ItemReport.init), alreadyThere: found.items.count - new.count,
            skippedLines: found.skippedLines)
        if json { try console.print(json: report) } else { try report.lines.forEach(console.print) }
        return .done
    }

    // MARK: Reading

    private struct Found {
        var items: [NewItem] = []
        /// Those that a person has to compare.
        var certificates: [(summary: CertificateSummary, question: String)] = []
        var skippedLines: [Int] = []
    }

    private func read(_ bytes: [UInt8], _ source: String, _ console: Console) async throws -> Found {
        switch format ?? Self.format(of: bytes, named: source) {
        case .netrc:
            let file = try InputFile.naming(source) { try NetrcLogins(bytes) }
            return Found(items: file.items(item.accessibility))
        case .csv:
            let list = try InputFile.naming(source) { try PasswordList(bytes) }
            return Found(
                items: list.logins.map { $0.item(item.accessibility) }, skippedLines: list.skippedLines)
        case .certificates: return try await certificates(bytes, source, console)
        }
    }

    /// A file of certificates begins as PEM or DER does, and a list of passwords with the names of its columns.
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
        var found = Found()
        for pair in contents.identities {
            guard let leaf = pair.chain.first,
                let key = contents.keys.first(where: { $0.publicKey == leaf.publicKey })?.privateKey
            else { continue }
            let identity = try Identity(chain: pair.chain, privateKey: key)
            let summary = CertificateSummary(leaf)
            found.certificates.append((summary, "Import this identity?"))
            let label = item.label ?? pair.friendlyName ?? ""
            found.items.append(
                try .identity(
                    identity, hosts: host, label: label, comment: item.comment ?? "",
                    accessibility: item.accessibility))
        }
        let used = Set(contents.identities.flatMap(\.chain))
        let setting = trust ?? .anchor
        for certificate in contents.certificates where !used.contains(certificate) {
            found.certificates.append((CertificateSummary(certificate), setting.question))
            let label = item.label ?? contents.friendlyName(of: certificate) ?? ""
            found.items.append(
                try .certificate(
                    certificate, trust: setting, hosts: host, label: label, comment: item.comment ?? ""))
        }
        return found
    }

    // MARK: The folder of anchors

    /// Adds the certificates of the folder, and then removes their files.
    private func moveAnchors(on console: Console) async throws -> CommandStatus {
        let folder = AnchorFolder(environment: console.environment)
        let certificates = try folder.certificates()
        let keychain = try await options.unlocked(on: console)
        let items = try certificates.map { try NewItem.certificate($0, trust: .anchor, hosts: host) }
        let new = try await keychain.missing(items)
        let added = try await keychain.add(new)
        for certificate in certificates { try folder.remove(certificate) }
        let report = ImportReport(
            imported: added.map(ItemReport.init), alreadyThere: items.count - new.count, skippedLines: [])
        if json { try console.print(json: report) } else { try report.lines.forEach(console.print) }
        return .done
    }
}

/// What `import` prints.
struct ImportReport: Encodable {
    let imported: [ItemReport]
    /// How many were in the keychain before, with the same secret.
    let alreadyThere: Int
    /// The lines of a list without a password.
    let skippedLines: [Int]

    var lines: [String] {
        var lines = imported.count > 20 ? [] : imported.map { "Item \($0.id): \($0.itemClass) \($0.name)" }
        lines.append("Imported \(imported.count) \(imported.count == 1 ? "item" : "items").")
        if alreadyThere > 0 { lines.append("In the keychain before: \(alreadyThere).") }
        if !skippedLines.isEmpty {
            let numbers = skippedLines.prefix(10).map(String.init).joined(separator: ", ")
            lines.append(
                "Without a password, so not imported: line \(numbers)\(skippedLines.count > 10 ? ", ..." : "").")
        }
        return lines
    }
}

extension ItemReport {
    fileprivate var name: String {
        let name = label.isEmpty ? place : label
        return (name + (account.map { ", \($0)" } ?? "")).printable
    }
}

extension TrustSettings.Setting {
    fileprivate var question: String {
        switch self {
        case .anchor: "Trust what it vouches for?"
        case .pin: "Ask for its key in every chain?"
        case .distrusted: "Distrust every chain that has it?"
        }
    }
}
