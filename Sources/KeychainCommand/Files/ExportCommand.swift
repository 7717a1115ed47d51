// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import ErrorExplanations
import Identities
import Keychain
import Secrets
import SwiftASN1
import X509

/// The password of a PKCS#12 file that is written.
enum ExportPassword: SecretPurpose {
    static let option = "file-password"
    static let subject = "the password that the file is to have"
}

/// `countersign keychain export`.
struct ExportCommand: ConsoleCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case pem
        case p12
        /// PKCS#12 as old devices read it.
        case p12Legacy = "p12-legacy"
    }

    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write an item, or an attachment of a note, to a file.",
        discussion: """
            A certificate is written as PEM, an identity as PKCS#12 or PEM, the text of a note and a password as they are. \
            --logins writes every login as CSV for another password manager. The file has the rights 0600; what is not \
            PKCS#12 is not encrypted.

            Example: countersign keychain export "Presents 2026" --attachment drawing.png -o drawing.png
            """)

    @Argument(help: "The item's number, label, host, service or account.")
    var item: String?

    @Flag(help: "Write every login and password as CSV.")
    var logins = false

    @Option(help: "An attachment of the note.")
    var attachment: String?

    @Option(help: "The form of an identity. Without it, p12.")
    var format: Format?

    @OptionGroup
    var filePassword: SecretOptions<ExportPassword>

    @Option(name: .shortAndLong, help: ArgumentHelp("The file, or - for standard output.", valueName: "file"))
    var output: String

    @OptionGroup
    var options: KeychainOptions

    func validate() throws {
        if logins == (item != nil) { throw ValidationError("Give an item, or --logins.") }
        if logins, attachment != nil { throw ValidationError("--attachment and --logins contradict each other.") }
    }

    var wantsJSON: Bool { false }

    func perform(on console: Console) async throws -> CommandStatus {
        let keychain = try await options.unlocked(on: console)
        let bytes: [UInt8]
        var damage: [KeychainDamage] = []
        if let item {
            bytes = try await content(of: try await keychain.item(called: item), keychain, console)
        } else {
            let table = try await LoginTable(keychain)
            (bytes, damage) = (table.bytes, table.damage)
        }
        if output == "-" {
            try console.write(bytes)
            return console.complain(of: damage)
        }
        let file = try OutputFile(path: output, newMode: 0o600)
        try file.write(bytes)
        try file.commit()
        try console.print("Wrote \(bytes.count) bytes to \(output.printable).")
        return console.complain(of: damage)
    }

    private func content(
        of item: KeychainItem, _ keychain: UnlockedKeychain, _ console: Console
    ) async throws -> [UInt8] {
        let itemClass = item.kind.itemClass
        if let attachment {
            guard itemClass == .note else {
                throw KeychainCommandError.notApplicable("attachments", itemClass: itemClass)
            }
            return try await keychain.attachment(attachment, of: item)
        }
        if itemClass != .identity, format != nil {
            throw KeychainCommandError.notApplicable("form to choose", itemClass: itemClass)
        }
        switch try await keychain.secret(of: item) {
        case .password(let password): return password.withUnsafeBytes { Array($0) }
        case .note(let text, _): return text.withUnsafeBytes { Array($0) }
        case .certificate(let certificate):
            return Array((try certificate.serializeAsPEM().pemString + "\n").utf8)
        case .identity(let identity):
            if format == .pem {
                return try identity.pemEncodedChain + identity.pemEncodedPrivateKey
            }
            let password = try await NewSecret.read(filePassword, "Password of the file", on: console)
            let name = item.label.isEmpty ? nil : item.label
            return try PKCS12.encode(
                [PKCS12.Entry(identity, friendlyName: name)], passphrase: password,
                encryption: format == .p12Legacy ? .weakTripleDESForOldDevices : .aes256())
        }
    }
}

/// Every login and password, as Chrome writes them (RFC 4180).
private struct LoginTable {
    let bytes: [UInt8]
    /// The damage that was met, for which items are missing.
    private(set) var damage: [KeychainDamage] = []

    init(_ keychain: UnlockedKeychain) async throws {
        var lines = ["name,url,username,password,note"]
        var known: Set<KeychainDamage> = []
        for itemClass in [KeychainItem.Class.internetPassword, .genericPassword] {
            let found = try await keychain.contents(of: KeychainQuery(itemClass)) { ($0.item, try $0.secret) }
            damage += found.damage.filter { known.insert($0).inserted }
            for (item, secret) in found.values {
                guard case .password(let password) = secret else { continue }
                let report = ItemReport(item)
                let secret = password.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
                let fields = [report.label, report.place, report.account ?? "", secret, report.comment]
                lines.append(fields.map(Self.quoted).joined(separator: ","))
            }
        }
        bytes = Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
    }

    private static func quoted(_ field: String) -> String {
        guard field.utf8.contains(where: { "\",\r\n".utf8.contains($0) }) else { return field }
        return "\"" + field.replacing("\"", with: "\"\"") + "\""
    }
}
