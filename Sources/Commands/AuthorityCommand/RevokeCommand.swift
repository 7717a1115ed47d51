// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ArgumentParser
import AuthorityAccess
import AuthorityStore
import CertificateAuthorities
public import CertificateTrust
import CommandSupport
import ErrorExplanations
import EssentialFoundation
import SwiftASN1
import X509

extension RevocationReason: ExpressibleByArgument {}

/// `countersign ca revoke`.
struct RevokeCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke certificates.",
        discussion: """
            A name selects every certificate with that name that is still valid: renewing a certificate does not revoke the one \
            before it. A serial number or a file selects one certificate. Certificates with the name that stay valid are listed.

            Clients learn of it from the revocation list: create a new one with 'countersign ca crl', and publish it.

            Example: countersign ca revoke www.home.example --reason key-compromise
            """)

    @Argument(help: "The name, the serial number or the file of a certificate.")
    var certificate: String

    @Flag(help: "Revoke only the newest certificate with the name.")
    var newest = false

    @Option(
        help: ArgumentHelp(
            "Revoke only the certificate whose serial number begins with these digits; may be repeated.",
            valueName: "digits"))
    var serial: [String] = []

    @Option(help: "The reason, which clients see.")
    var reason: RevocationReason = .unspecified

    @OptionGroup
    var place: AuthorityOptions

    @Flag(help: "Print as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func validate() throws {
        if newest, !serial.isEmpty { throw ValidationError("--newest and --serial contradict each other.") }
    }

    func perform(on console: Console) async throws -> CommandStatus {
        let store = try await place.store(console)
        let now = Date()
        let chosen = try choose(from: try await store.certificates(matching: certificate), now)
        var report = RevocationReport()
        for one in chosen {
            let isNew = try await store.revoke(one.serial, reason: reason, now: now)
            report.certificates.append(.init(one, isNew: isNew))
            if !json {
                try console.print(
                    "\(isNew ? "Revoked" : "Revoked before:") \(one.name.printable), serial number \(hex(one.serial)).")
            }
        }
        let names = Set(chosen.map(\.name) + [certificate])
        report.remaining = try await store.certificates.filter { one in
            one.isUsable(at: now) && names.contains(where: one.isNamed)
        }.map { .init($0, isNew: nil) }
        if json {
            try console.print(json: report)
        } else {
            for one in report.remaining {
                console.printError(
                    "countersign: still valid until \(CertificateText.day(one.notAfter)): \(one.name.printable), serial number \(one.serialNumber)"
                )
            }
        }
        return .done
    }

    /// Returns the certificates to revoke, at least one.
    private func choose(from found: [IssuedCertificate], _ now: Date) throws -> [IssuedCertificate] {
        let usable = found.filter { $0.isUsable(at: now) }
        let candidates = usable.isEmpty ? found : usable
        if newest {
            // If two certificates were issued in the same second, the one that was not replaced is newer.
            let last = candidates.max {
                ($0.certificate.notValidBefore, $0.replacedBy == nil ? 1 : 0)
                    < ($1.certificate.notValidBefore, $1.replacedBy == nil ? 1 : 0)
            }
            return last.map { [$0] } ?? []
        }
        guard !serial.isEmpty else { return candidates }
        return try serial.map { text in
            let digits = text.lowercased().filter { $0 != ":" }
            let matches = found.filter { hex($0.serial).hasPrefix(digits) }
            guard let first = matches.first else { throw AuthorityCommandError.notIssued(text) }
            guard matches.count == 1 else {
                throw AuthorityCommandError.severalIssued(text, matches.map { hex($0.serial) })
            }
            return first
        }
    }
}

extension IssuedCertificate {
    /// Returns whether clients would accept the certificate: neither expired nor revoked, but possibly replaced.
    fileprivate func isUsable(at now: Date) -> Bool { [.valid, .replaced].contains(state(at: now)) }
}

/// The JSON output of `revoke --json`.
struct RevocationReport: Encodable {
    struct Entry: Encodable {
        let serialNumber: String
        let name: String
        let notAfter: Date
        /// Whether the command revoked the certificate now; `nil` for a certificate that stays valid.
        let isNew: Bool?

        init(_ issued: IssuedCertificate, isNew: Bool?) {
            (serialNumber, name, self.isNew) = (hex(issued.serial), issued.name, isNew)
            notAfter = issued.certificate.notValidAfter
        }
    }

    /// The revoked certificates.
    var certificates: [Entry] = []
    /// The certificates that have one of the names and are still valid.
    var remaining: [Entry] = []
}

/// `countersign ca crl`.
struct RevocationListCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "crl", abstract: "Create the revocation list.",
        discussion: """
            It lists every certificate that is revoked and has not expired. Publish it at the URL that was given to 'init', and \
            create a new one before it expires.

            Example: countersign ca crl -o /var/www/html/home.crl
            """)

    @Option(help: ArgumentHelp("The validity period of the list.", valueName: "days"))
    var days = 7

    @Flag(help: "Write PEM instead of DER, which clients fetch.")
    var pem = false

    @Option(name: .shortAndLong, help: ArgumentHelp("The file, or - for standard output.", valueName: "file"))
    var output: String

    @OptionGroup
    var options: SigningOptions

    var wantsJSON: Bool { false }

    func validate() throws {
        guard (1...365).contains(days) else { throw ValidationError("--days is 1 to 365.") }
    }

    func perform(on console: Console) async throws -> CommandStatus {
        let open = try await options.open(on: console)
        let now = Date()
        let revoked = try await open.store.revoked(at: now)
        let list = try await open.store.list(now: now) { number in
            try open.authority.revocationList(of: revoked, number: number, validity: .days(days), now: now)
        }
        let bytes = pem ? Array((PEMDocument(type: "X509 CRL", derBytes: list).pemString + "\n").utf8) : list
        if try console.write(bytes, toArgument: output) {
            try console.print(
                "Wrote \(output.printable): \(revoked.count) revoked, valid until \(CertificateText.day(now + Double(days) * 86_400))."
            )
        }
        return .done
    }
}
