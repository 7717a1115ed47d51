// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ArgumentParser
import AuthorityAccess
import AuthorityStore
import CertificateAuthorities
import CertificateTrust
import CommandSupport
import Countersign
import ErrorExplanations
import EssentialFoundation
import Identities
import X509

/// `countersign ca issue`.
struct IssueCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "issue", abstract: "Create a key and a certificate for a server or a client.",
        discussion: """
            Writes NAME.pem, which holds the chain in the order that nginx and Apache want, and NAME-key.pem, which its owner \
            alone can read. 'countersign ca renew' replaces both before they expire, and runs the hook.

            With --acme, the certificate is ordered from another authority. Run the same command every day: it renews the certificate when it is due, by the authority's answer or its expiry, and otherwise does nothing.

            Example: countersign ca issue --server www.home.example 192.168.0.2 --out /etc/nginx/tls --hook "systemctl reload nginx"
            """)

    @OptionGroup
    var subject: SubjectOptions

    @Option(
        help: ArgumentHelp(
            "A file with the names of one server on each line, separated by spaces; a certificate is issued for each line.",
            valueName: "file"))
    var servers: String?

    @Option(help: ArgumentHelp("The folder of the files.", valueName: "folder"))
    var out = "."

    @Option(help: ArgumentHelp("The base name of the files. By default, the first name.", valueName: "name"))
    var file: String?

    @Option(
        help: ArgumentHelp("A shell command that is run after each renewal.", valueName: "command"))
    var hook: String?

    @Option(help: ArgumentHelp("The validity period. By default, that of the authority.", valueName: "days"))
    var days: Int?

    @Option(help: "The kind of the key.")
    var key: CertificateAuthority.KeyType = .p256

    @OptionGroup(title: "ACME orders")
    var order: ACMEOrderOptions

    @OptionGroup
    var options: SigningOptions

    @Flag(help: "Print as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func validate() throws {
        if let days, !(1...825).contains(days) { throw ValidationError("--days is 1 to 825.") }
        if [subject.isGiven, servers != nil].count(where: { $0 }) != 1 {
            throw ValidationError("Give --server NAME..., --client NAME or --servers FILE.")
        }
        if order.acme != nil, subject.server.isEmpty || days != nil {
            throw ValidationError("--acme requires --server NAME..., and the authority decides on the days.")
        }
        if servers != nil, file != nil { throw ValidationError("--file and --servers contradict each other.") }
    }

    func perform(on console: Console) async throws -> CommandStatus {
        if subject.code { throw AuthorityCommandError.codeSigning }
        let folder = URL(filePath: out, directoryHint: .isDirectory)
        if !FileManager.default.fileExists(atPath: folder.path) {
            throw FileError(.create, path: folder.path, code: 2)
        }
        if let directory = order.acme {
            try await perform(order, from: directory, files(of: subject.name, in: folder), on: console)
            return .done
        }
        let open = try await options.open(on: console)
        let validity = Validity.days(days ?? open.settings.leafDays)
        let wanted =
            try servers.map { try Self.subjects(inFile: $0, validity, key) }
            ?? [(subject.name, try subject.profile(validity: validity, key))]
        let issuances = wanted.map { name, profile in
            Issuance(authority: open, name: name, profile: profile, files: files(of: name, in: folder))
        }
        for issuance in issuances { try issuance.checkNoFileExists() }
        for issuance in issuances {
            try Task.checkCancellation()
            let identity = try await issuance.issue(now: Date())
            try report(IssuedReport(identity.certificate, files: issuance.files), name: issuance.name, on: console)
        }
        return .done
    }

    private func perform(
        _ options: ACMEOrderOptions, from directory: String, _ files: IssuedFiles, on console: Console
    ) async throws {
        let identifiers = try subject.server.map { name in
            guard let identifier = ACMEIdentifier(name) else { throw CertificateAuthorityError.malformedName(name) }
            return identifier
        }
        let order = ACMEOrder(
            directory: directory, options: options, identifiers: identifiers, keyType: key, files: files)
        switch try await order.run(on: console) {
        case .issued(let certificate):
            try report(IssuedReport(certificate, files: files), name: subject.name, on: console)
            try Issuance.runHook(hook)
        case .notDue(let certificate):
            let report = IssuedReport(certificate, files: files, isNew: false)
            if json { return try console.print(json: report) }
            try console.print(
                "\(subject.name.printable) is valid until \(CertificateText.day(report.notAfter)), and not due.")
        }
    }

    private func files(of name: String, in folder: URL) -> IssuedFiles {
        let base = file ?? name.fileName
        return IssuedFiles(
            chain: folder.appending(path: base + ".pem").absolutePath,
            key: folder.appending(path: base + "-key.pem").absolutePath, hook: hook)
    }

    private func report(_ report: IssuedReport, name: String, on console: Console) throws {
        if json { return try console.print(json: report) }
        try console.print("Issued \(name.printable), valid until \(CertificateText.day(report.notAfter)).")
        try console.print("Chain: \((report.chain ?? "").printable)")
        try console.print("Key:   \((report.key ?? "").printable)")
    }

    /// Reads the subjects from a file, one in each line that is not empty.
    private static func subjects(
        inFile path: String, _ validity: Validity, _ key: CertificateAuthority.KeyType
    ) throws -> [(String, LeafProfile)] {
        String(decoding: try InputFile.readArgument(path), as: UTF8.self).split(whereSeparator: \.isNewline)
            .map { $0.split(separator: " ").map(String.init) }
            .compactMap { names in
                names.first.map { ($0, .server(names: names, validity: validity, keyType: key)) }
            }
    }
}

/// The options that name the subject of a certificate.
struct SubjectOptions: ParsableArguments {
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("A server's DNS names, which may begin with *., and IP addresses.", valueName: "name"))
    var server: [String] = []

    @Option(
        help: ArgumentHelp(
            "A client's name, e-mail address, or subject such as \"CN=Mary Smith,O=Example\".", valueName: "name"))
    var client: String?

    @Option(help: ArgumentHelp("An e-mail address of the client; may be repeated.", valueName: "address"))
    var mailbox: [String] = []

    @Flag(help: .hidden)
    var code = false

    func validate() throws {
        if !server.isEmpty, client != nil { throw ValidationError("A certificate is for a server or for a client.") }
        if client == nil, !mailbox.isEmpty { throw ValidationError("--mailbox is for a client.") }
    }

    var isGiven: Bool { !server.isEmpty || client != nil || code }

    /// The name under which the certificate is listed.
    var name: String { client ?? server.first ?? "" }

    func profile(validity: Validity, _ key: CertificateAuthority.KeyType) throws -> LeafProfile {
        guard let client else { return .server(names: server, validity: validity, keyType: key) }
        if client.contains("=") {
            return .client(
                subject: try DistinguishedName(rfc4514: client), mailboxes: mailbox, validity: validity, keyType: key)
        }
        let mailboxes = (client.contains("@") ? [client] : []) + mailbox
        return .client(name: client, mailboxes: mailboxes, validity: validity, keyType: key)
    }
}

/// The JSON output of `issue --json` and `sign --json`.
struct IssuedReport: Encodable {
    let serialNumber: String
    let subject: String
    let names: [String]
    let notBefore: Date
    let notAfter: Date
    let fingerprint: String
    let chain: String?
    let key: String?
    /// Whether the certificate was issued now; `false` if an order found that the existing one is not due.
    let isNew: Bool

    init(_ certificate: Certificate, files: IssuedFiles?, isNew: Bool = true) {
        let summary = CertificateSummary(certificate)
        serialNumber = hex(certificate.serialNumber.bytes)
        (subject, fingerprint) = (summary.subject, summary.fingerprint)
        (notBefore, notAfter) = (certificate.notValidBefore, certificate.notValidAfter)
        names = LeafProfile(of: certificate).map { $0.names + $0.mailboxes } ?? []
        (chain, key, self.isNew) = (files?.chain, files?.key, isNew)
    }
}

extension String {
    /// A file name, in which a wildcard's star and every other character that is special in a path is replaced.
    var fileName: String {
        let plain = map { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.@".contains($0)) ? $0 : "_" }
        let name = String(plain.prefix(100))
        return name.hasPrefix(".") ? "_" + name.dropFirst() : name
    }
}

extension URL {
    /// The absolute path, which stays valid if the certificate is renewed from another folder.
    var absolutePath: String { absoluteURL.standardized.path }
}
