// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import Countersign
import HTTPTypes
import Identities
import NIOCore
import X509

/// `countersign trust`: the user's own anchors.
struct TrustCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Find out why a server is trusted or not, and keep anchors of your own.",
        discussion: """
            Imported anchors count where --trust imported is said, and nowhere else. A policy file names its own.

            Example: countersign trust import http://ca.example/root.pem
            """,
        subcommands: [
            TrustInspectCommand.self, TrustEvaluateCommand.self, TrustImportCommand.self, TrustListCommand.self,
            TrustRemoveCommand.self, TrustForgetCommand.self, CheckPolicyCommand.self,
        ])
}

/// `countersign trust import`.
struct TrustImportCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import a certificate from a URL or a file, PEM or DER.",
        discussion: """
            Compare the fingerprint with one that you got by another way before you say yes. Off a terminal --yes or \
            --fingerprint is needed.

            Example: countersign trust import ca.pem --fingerprint 3F:5A:...
            """)

    /// Largest certificate file fetched, in bytes.
    private static let sizeLimit = 1 << 20

    @Argument(help: "Where the certificate is: a URL of http or https, or a file.")
    var source: String

    @Option(
        help: ArgumentHelp(
            "A certificate that the server of an https: URL may be trusted by, PEM or DER; repeatable.",
            valueName: "file"))
    var anchor: [String] = []

    @Flag(help: "Import without asking.")
    var yes = false

    @Option(help: "Import without asking if this is its SHA-256 fingerprint.")
    var fingerprint: String?

    @Flag(help: "Print what was imported as JSON.")
    var json = false

    var wantsJSON: Bool { json }
    var subject: String? { isURL ? source : nil }

    private var isURL: Bool { ["http://", "https://"].contains { source.lowercased().hasPrefix($0) } }

    func perform(on console: Console) async throws -> CommandStatus {
        let certificates = try await read(console)
        let folder = AnchorFolder(environment: console.environment)
        // All or none: a file whose second certificate is declined leaves nothing behind.
        for certificate in certificates {
            let summary = CertificateSummary(certificate)
            if !json { try CertificateText.lines(summary).forEach(console.print) }
            try await decide(summary, console)
        }
        for certificate in certificates {
            let isNew = try folder.add(certificate)
            if !json {
                try console.print(isNew ? "Imported. Use it with --trust imported." : "It was imported before.")
            }
        }
        if json { try console.print(json: certificates.map(CertificateSummary.init)) }
        return .done
    }

    private func read(_ console: Console) async throws -> [Certificate] {
        if !isURL, !anchor.isEmpty { throw UsageError.useless("--anchor", without: "an https: URL") }
        let bytes = isURL ? try await fetch(console) : try InputFile.read(source)
        return try InputFile.naming(source) { try CertificateFile.certificates(in: bytes) }
    }

    private func fetch(_ console: Console) async throws -> [UInt8] {
        if source.lowercased().hasPrefix("http://"), !json {
            console.complain("Anyone on the way could have changed this certificate: compare its fingerprint.")
        }
        let anchors = try AnchorFiles.read(anchor)
        let session = Session(.init(trust: TrustPolicy(anchors: anchors.isEmpty ? .system : .systemAnd(anchors))))
        let result: Result<[UInt8], any Error>
        do {
            result = .success(try await body(of: try await session.get(source)))
        } catch SessionError.redirect(.toPlainHTTP(_, let place)) {
            result = .failure(
                CommandError.insecureAnchorSource(source, redirect: place))
        } catch {
            result = .failure(error)
        }
        await session.close()
        return try result.get()
    }

    private func body(of response: Response) async throws -> [UInt8] {
        guard response.status == .ok else {
            throw CommandError.badStatus(source, status: response.status.text, file: nil)
        }
        return Array(try await response.body.collect(upTo: Self.sizeLimit).readableBytesView)
    }

    private func decide(_ certificate: CertificateSummary, _ console: Console) async throws {
        if let fingerprint {
            guard AnchorFolder.plain(fingerprint) == AnchorFolder.plain(certificate.fingerprint) else {
                throw CommandError.fingerprintMismatch(found: certificate.fingerprint, expected: fingerprint)
            }
            return
        }
        if yes { return }
        guard let prompter = console.prompter else {
            throw CommandError.confirmationNeeded(
                "The fingerprint \(certificate.fingerprint) has to be compared.",
                option: "--fingerprint HEX, or --yes if you have compared it")
        }
        guard await prompter.confirm("Trust what it vouches for?") else {
            throw CommandError.declined("Nothing was imported.")
        }
    }
}

/// `countersign trust list`.
struct TrustListCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the imported certificates.",
        discussion: "Example: countersign trust list --json")

    @Flag(help: "Print the list as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let certificates = try AnchorFolder(environment: console.environment).certificates()
            .map(CertificateSummary.init)
        if json {
            try console.print(json: certificates)
        } else if certificates.isEmpty {
            try console.print("Nothing is imported.")
        } else {
            for certificate in certificates {
                try (CertificateText.lines(certificate) + [""]).forEach(console.print)
            }
        }
        return .done
    }
}

/// `countersign trust remove`.
struct TrustRemoveCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an imported certificate.",
        discussion: "Example: countersign trust remove 3F:5A:0C")

    @Argument(help: "The start of its SHA-256 fingerprint.")
    var fingerprint: String

    @Flag(help: "Remove without asking.")
    var yes = false

    @Flag(help: "Print what was removed as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let folder = AnchorFolder(environment: console.environment)
        let certificate = try folder.certificate(matching: fingerprint)
        let summary = CertificateSummary(certificate)
        if !json { try CertificateText.lines(summary).forEach(console.print) }
        if !yes { try await console.confirm("Remove it?", otherwise: "Nothing was removed.") }
        try folder.remove(certificate)
        if json { try console.print(json: summary) } else { try console.print("Removed.") }
        return .done
    }
}
