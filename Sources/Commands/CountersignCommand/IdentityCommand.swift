// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import CommandSupport
import Countersign
import ErrorExplanations
import Identities
import Secrets
import X509

/// `countersign identity`: files of certificates and keys.
struct IdentityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity",
        abstract: "Inspect files of certificates and keys.",
        discussion: "Example: countersign identity inspect client.p12 --password-file password.txt",
        subcommands: [IdentityInspectCommand.self])
}

/// The password of `identity inspect`.
enum FilePassword: SecretPurpose {
    static let option = "password"
    static let subject = "the file's password"
}

/// `countersign identity inspect`.
struct IdentityInspectCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Print the contents of a file of certificates and keys: PEM, DER, PKCS#7 or PKCS#12.",
        discussion: """
            Private keys are never printed. Without the password, only the unencrypted contents are printed. Of a certificate \
            that cannot be read, all fields that can be are printed, with a warning.

            Example: countersign identity inspect client.p12 --password-file password.txt
            """)

    @Argument(help: "The file, or - for standard input.")
    var file: String

    @OptionGroup
    var password: SecretOptions<FilePassword>

    @Flag(help: "Print the contents as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        try password.checkContradictions()
        if file == "-", password.readsStandardInput {
            throw UsageError.contradiction("-", SecretOptions<FilePassword>.standardInputOption)
        }
        let bytes = try InputFile.readArgument(file)
        let passphrase = try password.read(console.environment)
        var contents = try read(bytes, passphrase)
        if contents.isLocked,
            let answer = await console.prompter?.ask("Password of \(file.printable): ", isSecret: true),
            !answer.isEmpty
        {
            contents = try read(bytes, Secret(answer))
        }
        let report = IdentityReport(contents)
        // A file of which nothing can be shown is an error.
        if report.isBlank, let error = contents.unread.error { try InputFile.naming(file) { throw error } }
        if json { try console.print(json: report) } else { try report.lines.forEach(console.print) }
        console.printWarning(unread: report.unreadCertificates, in: file)
        return .done
    }

    private func read(_ bytes: [UInt8], _ passphrase: Secret?) throws -> IdentityContents {
        try InputFile.naming(file) { try IdentityContents(of: bytes, passphrase: passphrase) }
    }
}

/// The contents of a file of certificates and keys, as JSON and as text.
struct IdentityReport: Encodable {
    struct Protection: Encodable {
        let name: String
        let iterations: Int?

        init(_ protection: PasswordProtection) { (name, iterations) = (protection.name, protection.iterations) }

        var text: String { name + (iterations.map { $0 == 1 ? ", 1 iteration" : ", \($0) iterations" } ?? "") }
    }

    struct Key: Encodable {
        /// The key type; `nil` if the key is encrypted and the password was not given.
        let type: String?
        let friendlyName: String?
        let encryption: Protection?
        /// The fingerprint of the key's certificate, if the file contains it.
        let certificate: String?
    }

    struct Entry: Encodable {
        let friendlyName: String?
        let certificate: CertificateSummary
        /// Whether Java's trust store marks the certificate as trusted.
        let isTrusted: Bool
        /// Whether the file contains the certificate's key.
        let hasKey: Bool
    }

    /// A part of the file that was not read.
    struct Unread: Encodable {
        let position: Int
        let count: Int
        let line: Int?
        let reason: String
        /// The fields that can be read; `nil` if there are none.
        let certificate: CertificateSummary?
        let keyType: String?

        init(_ unread: UnreadCertificate) {
            (position, count, line) = (unread.position, unread.count, unread.line)
            (reason, certificate, keyType) = (unread.problem.clause, unread.certificate, unread.certificate?.keyName)
        }
    }

    struct Pair: Encodable {
        let friendlyName: String?
        /// The fingerprints of the chain, leaf first.
        let chain: [String]
    }

    let container: String
    let isLocked: Bool
    let integrity: Protection?
    let encryptions: [Protection]
    let certificates: [Entry]
    let keys: [Key]
    let identities: [Pair]
    let others: [String]
    let ignoredBags: Int
    let unread: [Unread]
    /// The certificates that were not read, for warnings.
    let unreadCertificates: [UnreadCertificate]

    private enum CodingKeys: CodingKey {
        case container, isLocked, integrity, encryptions, certificates, keys, identities, others, ignoredBags, unread
    }

    init(_ contents: IdentityContents) {
        container = contents.container.rawValue
        isLocked = contents.isLocked
        integrity = contents.integrity.map(Protection.init)
        encryptions = contents.encryptions.map(Protection.init)
        let keys = Set(contents.keys.compactMap(\.publicKey))
        // A certificate that only the trust evaluation reads, for example with a small key, has no entry in a keychain.
        let others = contents.unread.map { ($0, $0.certificate.flatMap(CertificateSummary.init(anchor:))) }
        certificates =
            contents.certificates.map { certificate in
                Entry(
                    friendlyName: contents.friendlyName(of: certificate)?.printable,
                    certificate: CertificateSummary(certificate),
                    isTrusted: contents.trustedCertificates.contains(certificate),
                    hasKey: keys.contains(certificate.publicKey))
            }
            + others.compactMap(\.1).map {
                Entry(friendlyName: nil, certificate: $0, isTrusted: false, hasKey: false)
            }
        unreadCertificates = others.filter { $0.1 == nil }.map { UnreadCertificate($0.0) }
        unread = unreadCertificates.map(Unread.init)
        self.keys = contents.keys.map { key in
            let leaf = contents.certificates.first { $0.publicKey == key.publicKey }
            return Key(
                type: key.type, friendlyName: key.friendlyName?.printable,
                encryption: key.encryption.map(Protection.init),
                certificate: leaf.map { CertificateSummary($0).fingerprint })
        }
        identities = contents.identities.map { pair in
            Pair(
                friendlyName: pair.friendlyName?.printable, chain: pair.chain.map { CertificateSummary($0).fingerprint }
            )
        }
        self.others = contents.otherContents.map(\.printable)
        ignoredBags = contents.ignoredBagCount
    }

    var lines: [String] {
        var lines = [
            "\(container): \(count(certificates.count, "certificate")), \(count(keys.count, "private key")), "
                + (identities.count == 1 ? "1 identity" : "\(identities.count) identities")
        ]
        if isLocked { lines.append("Locked: the rest is encrypted, and no password was given (--password-file).") }
        if let integrity { lines.append("Integrity:   \(integrity.text)\(isLocked ? " (not checked)" : "")") }
        lines += encryptions.map { "Encryption:  \($0.text)" }
        for (number, entry) in certificates.enumerated() {
            lines += ["", "Certificate \(number + 1)" + (entry.friendlyName.map { " \"\($0)\"" } ?? "")]
            lines += CertificateText.lines(entry.certificate)
            if entry.hasKey { lines.append("Key:         in the file") }
            if entry.isTrusted { lines.append("Trusted:     marked as trusted, as Java does") }
        }
        for part in unreadCertificates {
            lines += ["", "Not read: \(part.place)", "Reason:      \(part.problem.clause)"]
            if let certificate = part.certificate { lines += CertificateText.lines(unread: certificate) }
        }
        for (number, key) in keys.enumerated() {
            lines += ["", "Private key \(number + 1)" + (key.friendlyName.map { " \"\($0)\"" } ?? "")]
            lines.append("Type:        \(key.type ?? "encrypted")")
            lines.append("Encryption:  \(key.encryption?.text ?? "none for the key itself")")
            lines.append("Certificate: \(key.certificate ?? "none in the file")")
        }
        if !others.isEmpty { lines += ["", "Not read: \(others.joined(separator: ", "))"] }
        if ignoredBags > 0 { lines += ["", "Not read: \(count(ignoredBags, "bag")) of other kinds"] }
        return lines
    }

    /// Whether nothing of the file can be shown.
    var isBlank: Bool {
        certificates.isEmpty && keys.isEmpty && others.isEmpty && encryptions.isEmpty && ignoredBags == 0
            && unreadCertificates.allSatisfy { $0.certificate == nil }
    }

    private func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
