// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import AuthorityAccess
import ErrorExplanations
public import ArgumentParser
import AuthorityStore
import CertificateAuthority
public import CertificateTrust
import CommandSupport
import SwiftASN1

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RevocationReason: ExpressibleByArgument {}

/// `countersign ca revoke`.
struct RevokeCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Take a certificate back.",
        discussion: """
            Clients learn of it from the revocation list: make a new one with 'countersign ca crl', and publish it.

            Example: countersign ca revoke www.home.example --reason key-compromise
            """)

    @Argument(help: "The name, the serial number or the file of a certificate.")
    var certificate: String

    @Option(help: "Why.")
    var reason: RevocationReason = .unspecified

    @OptionGroup
    var place: AuthorityOptions

    var wantsJSON: Bool { false }

    func perform(on console: Console) async throws -> CommandStatus {
        let store = try await place.store(console)
        let found = try await store.certificate(meantBy: certificate)
        let isNew = try await store.revoke(found.serial, reason: reason, now: Date())
        try console.print(
            "\(isNew ? "Revoked" : "Revoked before:") \(found.name.printable), serial number \(hex(found.serial)).")
        return .done
    }
}

/// `countersign ca crl`.
struct RevocationListCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "crl", abstract: "Make the revocation list.",
        discussion: """
            It names every certificate that is revoked and has not expired. Publish it at the URL that was given to 'init', and \
            make it anew before it ends.

            Example: countersign ca crl -o /var/www/html/home.crl
            """)

    @Option(help: ArgumentHelp("For how long clients may use it.", valueName: "days"))
    var days = 7

    @Flag(help: "Write PEM. Without it, DER, which is what clients fetch.")
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
        if output == "-" {
            try console.write(bytes)
        } else {
            let file = try OutputFile(path: output)
            try file.write(bytes)
            try file.commit()
            try console.print(
                "Wrote \(output.printable): \(revoked.count) revoked, good until \(CertificateText.day(now + Double(days) * 86_400))."
            )
        }
        return .done
    }
}
