// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import CommandSession
import CommandSupport
import Countersign
import EssentialFoundation

/// `countersign trust evaluate`.
struct TrustEvaluateCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Evaluate a chain from a file for a host, a client or another purpose, at any instant.",
        discussion: """
            Nothing is fetched, unless --revocation or --fetch-issuers asks for it. Exits with 0 if the chain is trusted, with 3 if \
            not, and with 1 if it is trusted but a file of --crl, --ocsp or --tls-staple cannot be used for it.

            A list that its issuer signed revokes what it names, regardless of other problems: one that is old, or violates the \
            standard, only cannot show that a certificate is not revoked.

            Example: countersign trust evaluate --host a.example --chain chain.pem --anchor ca.pem --at 2027-01-31
            """)

    @Option(
        help: ArgumentHelp(
            "The host, or the e-mail address, for which the first certificate must be valid.",
            discussion: "--purpose server needs it; for every other purpose, it may be left out.", valueName: "name"))
    var host: String?

    @Option(help: ArgumentHelp("The chain, leaf first: PEM or DER; '-' is standard input.", valueName: "file"))
    var chain: String

    @OptionGroup
    var time: EvaluationTime

    @OptionGroup(title: "Trust")
    var trustOptions: TrustOptions

    @OptionGroup(title: "Evidence of the handshake")
    var handshake: HandshakeEvidence

    @OptionGroup(title: "Connection")
    var connection: InspectionConnection

    @OptionGroup(title: "Output")
    var output: InspectionOutput

    var wantsJSON: Bool { output.json }

    func perform(on console: Console) async throws -> CommandStatus {
        try output.checkContradictions()
        let readers =
            (chain == "-" ? ["--chain"] : []) + trustOptions.readersOfStandardInput
            + handshake.readersOfStandardInput
        if readers.count > 1 { throw UsageError.contradiction(readers[0], readers[1]) }
        let instant = try time.instant() ?? Date()
        if handshake.tlsTimestamps != nil, trustOptions.policy == nil, trustOptions.transparencyOption.logList == nil {
            throw UsageError.useless("--tls-timestamps", without: "--log-list")
        }
        let name = try host.map { $0.contains("@") ? nil : try HostName(international: $0) } ?? nil
        try output.protect(try [chain] + trustOptions.inputPaths(console) + handshake.paths)
        let policies = try await trustOptions.policies(
            for: name, isVerbose: false, keychain: trustOptions.keychain.makeClient(), on: console)
        if host == nil, policies.fallback.trust.purpose == .server {
            throw UsageError.missing("--host NAME", for: "--purpose server")
        }
        var files = try trustOptions.evidence.read()
        let timestamps = try handshake.read(into: &files)
        let inspection = try await connection.evaluate(
            chain, for: host, under: policies, at: instant, with: files, timestamps: timestamps, on: console)
        return try output.show(inspection, on: console)
    }
}

/// The evidence that a server sent in the handshake, in files.
struct HandshakeEvidence: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The OCSP response that the server sent in the handshake, which a certificate can require (RFC 7633); DER.",
            valueName: "file"))
    var tlsStaple: String?

    @Option(
        help: ArgumentHelp(
            "The timestamps that the server sent by TLS: the data of the extension signed_certificate_timestamp.",
            valueName: "file"))
    var tlsTimestamps: String?

    var paths: [String] { [tlsStaple, tlsTimestamps].compactMap(\.self) }

    var readersOfStandardInput: [String] {
        (tlsStaple == "-" ? ["--tls-staple"] : []) + (tlsTimestamps == "-" ? ["--tls-timestamps"] : [])
    }

    /// Reads the files.
    ///
    /// - Parameter files: The other evidence, to which the staple is added.
    /// - Returns: The timestamps.
    /// - Throws: `FileError`, `NamedFileError`.
    func read(into files: inout EvidenceFiles) throws -> TimestampList? {
        if let tlsStaple { try files.add(stapledIn: tlsStaple) }
        return try tlsTimestamps.map { path in
            try InputFile.naming(path) { try TimestampList(tlsEncoded: InputFile.readArgument(path)) }
        }
    }
}
