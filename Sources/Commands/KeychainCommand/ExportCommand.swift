// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import CommandSupport
import ErrorExplanations
import Identities
import Keychains
import Secrets
import SwiftASN1
import X509

/// The password of the PKCS#12 file to write.
enum ExportPassword: SecretPurpose {
    static let option = "file-password"
    static let subject = "the password for the file"
}

/// `countersign keychain export`.
struct ExportCommand: ConsoleCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case pem
        case p12
        /// PKCS#12 with an encryption that old devices can read.
        case p12Legacy = "p12-legacy"
    }

    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write an item, or an attachment of a note, to a file.",
        discussion: """
            A certificate is written as PEM, an identity as PKCS#12 or PEM, the text of a note and a password as they are. \
            --logins writes every login as CSV for another password manager; realm, method and other properties are in columns \
            that others ignore and 'import' reads. Properties that are not in the file are listed. The file has the permissions 0600; \
            what is not PKCS#12 is not encrypted.

            Example: countersign keychain export "Presents 2026" --attachment drawing.png -o drawing.png
            """)

    @Argument(help: "The item's number, label, host, service or account.")
    var item: String?

    @Flag(help: "Write every login and password as CSV.")
    var logins = false

    @Option(help: "An attachment of the note.")
    var attachment: String?

    @Option(help: "The format of an identity; p12 by default.")
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
            for omission in table.omissions { console.printError("Not in the file: \(omission).") }
            (bytes, damage) = (table.bytes, table.damage)
        }
        if try console.write(bytes, toArgument: output, mode: 0o600) {
            try console.print("Wrote \(bytes.count) bytes to \(output.printable).")
        }
        return console.printError(of: damage)
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
            throw KeychainCommandError.notApplicable("choice of format", itemClass: itemClass)
        }
        let secret = try await keychain.secret(of: item)
        let missing = missing(item, secret)
        if !missing.isEmpty { console.printError("Not in the file: \(missing.joined(separator: ", ")).") }
        switch secret {
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

    /// Returns the properties of an item that its file does not contain; for a password, only the comment counts.
    private func missing(_ item: KeychainItem, _ secret: ItemSecret) -> [String] {
        var properties: [(isThere: Bool, name: String)] = [(!item.comment.isEmpty, "the comment")]
        switch (item.kind, secret) {
        case (.certificate(_, let setting, let hosts), _):
            properties += [
                (!item.label.isEmpty, "the label"), (setting != .anchor, "the trust setting (\(setting.rawValue))"),
                (!hosts.isEmpty, "the hosts"),
            ]
        case (.identity(_, let hosts), _):
            properties += [(format == .pem && !item.label.isEmpty, "the label"), (!hosts.isEmpty, "the hosts")]
        case (.note, .note(_, let attachments)):
            let names = attachments.map(\.name.printable).joined(separator: ", ")
            properties += [(!item.label.isEmpty, "the title"), (!attachments.isEmpty, "the attachments (\(names))")]
        default: return []
        }
        return properties.filter(\.isThere).map(\.name)
    }
}
