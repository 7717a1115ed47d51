// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import AuthorityAccess
import AuthorityStore
import CertificateAuthorities
import CommandSupport
import ErrorExplanations
import EssentialFoundation
import Identities
import SwiftASN1
import X509

/// `countersign ca csr`.
struct RequestCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "csr", abstract: "Create a key and a certificate request for another authority.",
        discussion: """
            Writes NAME.csr (PKCS#10) and NAME-key.pem. No authority is needed for it.

            Example: countersign ca csr --server www.home.example
            """)

    @OptionGroup
    var subject: SubjectOptions

    @Option(help: ArgumentHelp("The folder of the files.", valueName: "folder"))
    var out = "."

    @Option(help: ArgumentHelp("The base name of the files. By default, the first name.", valueName: "name"))
    var file: String?

    @Option(help: "The kind of the key.")
    var key: CertificateAuthority.KeyType = .p256

    var wantsJSON: Bool { false }

    func validate() throws {
        guard subject.isGiven else { throw ValidationError("Give --server NAME... or --client NAME.") }
    }

    func perform(on console: Console) async throws -> CommandStatus {
        if subject.code { throw AuthorityCommandError.codeSigning }
        let profile = try subject.profile(validity: .days(1), key)
        let privateKey = try key.makeKey()
        let request = try CertificateRequest.encode(profile, key: privateKey)
        let folder = URL(filePath: out, directoryHint: .isDirectory)
        let base = file ?? subject.name.fileName
        let (requestPath, keyPath) = (
            folder.appending(path: base + ".csr").path, folder.appending(path: base + "-key.pem").path
        )
        let document = PEMDocument(type: "CERTIFICATE REQUEST", derBytes: request).pemString + "\n"
        for (path, bytes, mode) in [
            (keyPath, try Identity.pemEncoded(privateKey), UInt32(0o600)), (requestPath, Array(document.utf8), 0o644),
        ] {
            try OutputFile.write(bytes, to: path, mode: mode, replaces: false)
        }
        try console.print("Request: \(requestPath.printable)")
        try console.print("Key:     \(keyPath.printable)")
        return .done
    }
}
