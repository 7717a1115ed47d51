// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import AuthorityAccess
import AuthorityStore
import CommandSupport
import ErrorExplanations
import Identities
import Secrets
import X509

/// The password of the PKCS#12 file to write.
enum ExportPassword: SecretPurpose {
    static let option = "file-password"
    static let subject = "the password for the file"
}

/// `countersign ca export`.
struct ExportCommand: ConsoleCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case pem
        case der
        case p12
    }

    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the root certificate, or an issued certificate with its chain.",
        discussion: """
            The root is what clients import. PEM has the chain in the order that nginx and Apache want: the certificate, then its \
            issuer. PKCS#12 also contains the key, so the key file must be where 'issue' wrote it.

            Example: countersign ca export -o home-root.pem
            """)

    @Argument(
        help: "The name, the serial number or the file of a certificate; root or issuing for the authority's own.")
    var certificate = "root"

    @Option(help: "The format of the file.")
    var format: Format = .pem

    @OptionGroup
    var filePassword: SecretOptions<ExportPassword>

    @Option(name: .shortAndLong, help: ArgumentHelp("The file, or - for standard output.", valueName: "file"))
    var output = "-"

    @OptionGroup
    var place: AuthorityOptions

    var wantsJSON: Bool { false }

    func validate() throws {
        try filePassword.checkContradictions()
        if (format == .p12) != filePassword.isGiven {
            throw ValidationError("--format p12 needs \(filePassword.name) FILE, and no other format does.")
        }
    }

    func perform(on console: Console) async throws -> CommandStatus {
        let store = try await place.store(console)
        let authority = try await store.settings.certificates
        let bytes: [UInt8]
        switch certificate {
        case "root": bytes = try encode(Array(authority.suffix(1)))
        case "issuing": bytes = try encode(Array(authority.prefix(1)))
        default:
            let found = try await store.certificate(matching: certificate)
            let chain = [found.certificate] + authority.dropLast()
            bytes = format == .p12 ? try pkcs12(chain, found, console) : try encode(chain)
        }
        if try console.write(bytes, toArgument: output, mode: format == .p12 ? 0o600 : 0o644) {
            try console.print("Wrote \(output.printable).")
        }
        return .done
    }

    private func encode(_ chain: [Certificate]) throws -> [UInt8] {
        switch format {
        case .pem: try CertificateFile.pem(chain)
        case .der: try CertificateFile.der(chain[0])
        case .p12: throw AuthorityCommandError.noFiles(certificate)
        }
    }

    private func pkcs12(_ chain: [Certificate], _ issued: IssuedCertificate, _ console: Console) throws -> [UInt8] {
        guard let path = issued.files?.key, let password = try filePassword.read(console.environment) else {
            throw AuthorityCommandError.noFiles(issued.name)
        }
        let key = try InputFile.read(path)
        let identity = try InputFile.naming(path) {
            try Identity(pemCertificates: CertificateFile.pem(chain), privateKey: key)
        }
        return try PKCS12.encode(
            [PKCS12.Entry(identity, friendlyName: issued.name)], passphrase: password, encryption: .aes256())
    }
}
