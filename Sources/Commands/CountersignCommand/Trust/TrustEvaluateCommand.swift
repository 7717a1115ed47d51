// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import CommandSession
import CommandSupport
import Countersign
import EssentialFoundation
import Identities

/// `countersign trust evaluate`.
struct TrustEvaluateCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Evaluate a chain from a file for a host, at any instant, without a connection to the host.",
        discussion: """
            Without --anchor, the system's certificates are trusted. Exits with 0 if the chain is trusted, with 3 if not, and \
            with 1 if it is trusted but a file of --crl, --ocsp or --tls-staple cannot be used for it.

            A list that its issuer signed revokes what it names, regardless of other problems: one that is old, or violates the \
            standard, only cannot show that a certificate is not revoked.

            Example: countersign trust evaluate --host a.example --chain chain.pem --anchor ca.pem --at 2027-01-31
            """)

    enum Profile: String, ExpressibleByArgument, CaseIterable {
        case webPKI = "web-pki"
        case privatePKI = "private-pki"
    }

    @Option(help: "The host for which the first certificate must be valid.")
    var host: String

    @Option(help: "The chain, leaf first: PEM or DER.")
    var chain: String

    @Option(
        help: ArgumentHelp(
            "A file or folder of certificates to trust, PEM, DER or PKCS#7, instead of the system's; repeatable.",
            valueName: "file"))
    var anchor: [String] = []

    @Option(help: "The time: 2026-11-21 or 2026-11-21T10:00:00Z; by default, now.")
    var at: String?

    @Option(help: "A public key that the chain must contain, sha256/BASE64; repeatable.")
    var pin: [String] = []

    @Option(
        help: ArgumentHelp(
            "The rules for the form of certificates: web-pki or private-pki.",
            discussion: "By default, web-pki for the system's anchors, and private-pki for those of --anchor."))
    var profile: Profile?

    @OptionGroup(title: "Revocation")
    var revocationOption: RevocationOption

    @Option(help: "A file of revocation lists, DER or PEM; repeatable.")
    var crl: [String] = []

    @Option(help: "An OCSP response, DER; repeatable.")
    var ocsp: [String] = []

    @Option(
        help: ArgumentHelp(
            "The OCSP response that the server sent in the handshake, which a certificate can require (RFC 7633); DER.",
            valueName: "file"))
    var tlsStaple: String?

    @OptionGroup(title: "Certificate Transparency")
    var transparencyOption: TransparencyOption

    @Option(
        help: ArgumentHelp(
            "The timestamps that the server sent by TLS: the data of the extension signed_certificate_timestamp.",
            valueName: "file"))
    var tlsTimestamps: String?

    @OptionGroup(title: "Output")
    var output: InspectionOutput

    var wantsJSON: Bool { output.json }

    func perform(on console: Console) async throws -> CommandStatus {
        try output.checkContradictions()
        let name = try HostName(international: host)
        let time = try at.map(Self.instant) ?? Date()
        if tlsTimestamps != nil, transparencyOption.logList == nil {
            throw UsageError.useless("--tls-timestamps", without: "--log-list")
        }
        let files = try EvidenceFiles(lists: crl, responses: ocsp, staple: tlsStaple, timestamps: tlsTimestamps)
        var configuration = HTTPSession.Configuration()
        configuration.proxies = try .chosen(by: nil, except: nil, environment: console.environment)
        let inspection = try await ChainFile(chain).evaluate(
            for: name, under: try policy(console), at: time, with: files, fetchingWith: configuration)
        let status = try output.show(inspection, on: console)
        let failures = inspection.evidence.failures
        for failure in failures { console.printError(failure) }
        return status == .done ? failures.first?.status ?? .done : status
    }

    private func policy(_ console: Console) throws -> TrustPolicy {
        let given = try AnchorFiles.anchors(anchor, on: console)
        return TrustPolicy(
            anchors: anchor.isEmpty ? .system : .only(given), profile: profile?.policy,
            pins: PinSet(Set(try pin.map { try Pin($0) })),
            revocation: revocationOption.revocation?.policy ?? .whereDemanded,
            transparency: try transparencyOption.transparency())
    }

    /// Parses a day, which begins at midnight UTC, or an instant (RFC 3339).
    static func instant(_ text: String) throws(InspectionError) -> Date {
        guard let time = InternetTime(day: text) ?? InternetTime(text) else { throw .time(text) }
        return time.date
    }
}

extension TrustEvaluateCommand.Profile {
    fileprivate var policy: TrustPolicy.Profile {
        switch self {
        case .webPKI: .webPKI
        case .privatePKI: .privatePKI
        }
    }
}
