// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import CommandSession
import CommandSupport
import Countersign
import Identities

/// `countersign trust`, which manages the user's own anchors.
struct TrustCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Find out why a server is trusted or not, and manage your own anchors.",
        discussion: """
            Imported anchors are trusted only with --trust imported. A policy file names its own.

            Example: countersign trust import http://ca.example/root.pem
            """,
        subcommands: [
            TrustInspectCommand.self, TrustEvaluateCommand.self, TrustImportCommand.self, TrustListCommand.self,
            TrustRemoveCommand.self, TrustForgetCommand.self, CheckPolicyCommand.self, PolicySchemaCommand.self,
        ])
}

/// `countersign trust import`.
struct TrustImportCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import a certificate from a URL or a file, PEM or DER.",
        discussion: """
            Compare the fingerprint with one that you got through another channel before you confirm. Without a terminal --yes or \
            --fingerprint is needed. A certificate that is not an authority's is refused without --leaf, and the intermediates \
            of a chain with its root are left out.

            Example: countersign trust import ca.pem --fingerprint 3F:5A:...
            """)

    @Argument(help: "The certificate: an http or https URL, or a file.")
    var source: String

    @OptionGroup
    var options: CertificateImport

    @Flag(help: "Also import certificates that are not a root's: a server that presents one is trusted.")
    var leaf = false

    @Flag(help: "Print the imported certificates as JSON.")
    var json = false

    var wantsJSON: Bool { json }
    var subject: String? { CertificateImport.isURL(source) ? source : nil }

    func perform(on console: Console) async throws -> CommandStatus {
        let bytes = try await options.read(source, warns: !json, on: console)
        let found = ImportedCertificates(
            try InputFile.naming(source) { try CertificateFile.contents(of: bytes) })
        let setting: TrustSettings.Setting? = leaf ? .anchor : nil
        let certificates = try found.certificates(as: setting)
        console.printError(omitted: found.omissions(as: setting))
        let folder = AnchorFolder(environment: console.environment)
        // All or none: if one certificate of a file is declined, none is imported.
        for certificate in certificates {
            let summary = CertificateSummary(certificate)
            if !json { try CertificateText.lines(summary).forEach(console.print) }
            try await options.confirm(summary, on: console)
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

    @Flag(help: "Print the removed certificate as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let folder = AnchorFolder(environment: console.environment)
        let certificate = try folder.certificate(matching: fingerprint)
        let summary = CertificateSummary(certificate)
        if !json { try CertificateText.lines(summary).forEach(console.print) }
        try await console.confirm("Remove it?", unless: yes, otherwise: "Nothing was removed.")
        try folder.remove(certificate)
        if json { try console.print(json: summary) } else { try console.print("Removed.") }
        return .done
    }
}

/// `countersign trust forget`.
struct TrustForgetCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Forget a server's key that was trusted on first use.",
        discussion: """
            Do this only if the server's owner tells you that the key was changed: the next key is accepted without proof.

            Example: countersign trust forget printer.example:8443
            """)

    @Argument(help: "HOST or HOST:PORT; without a port, 443.")
    var server: String

    @Flag(help: "Forget without asking.")
    var yes = false

    @Flag(help: "Print the forgotten key as JSON.")
    var json = false

    var wantsJSON: Bool { json }
    var subject: String? { server }

    func perform(on console: Console) async throws -> CommandStatus {
        let endpoint = try HostEndpoint(of: try ServerAddress(server).url)
        let servers = try FileServerMemory(environment: console.environment)
        guard let known = try await servers.server(at: endpoint) else { throw KnownServersError.unknown(endpoint) }
        if !json { try console.print("\(endpoint), first seen on \(CertificateText.day(known.since)): \(known.key)") }
        try await console.confirm("Forget it?", unless: yes, otherwise: "Nothing was forgotten.")
        try await servers.forget(endpoint)
        if json { try console.print(json: known) } else { try console.print("Forgotten.") }
        return .done
    }
}
