// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSession
import CommandSupport
import Countersign
import SOAPClients
import WSSecurity
import XMLDocuments
import XMLSignature

/// `countersign soap sign`.
struct SignCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Sign an XML document or a SOAP message.",
        discussion: """
            A SOAP message gets a WS-Security header with a timestamp, the certificate, and a signature of both and of the \
            body. Any other document gets a signature of all of it, or of the elements of --element, at its end.

            Example: countersign soap sign request.xml --identity mary.p12 -o signed.xml
            """)

    @Argument(help: ArgumentHelp("The document; '-' is standard input.", valueName: "file"))
    var document: String

    @Option(help: ArgumentHelp("The certificate and its key: PEM or PKCS#12.", valueName: "file"))
    var identity: String

    @Option(help: ArgumentHelp("The private key of --identity, if it is in another file.", valueName: "file"))
    var key: String?

    @OptionGroup
    var passphrase: SecretOptions<IdentityPassphrase>

    @Option(
        help: ArgumentHelp(
            "Sign the element with this Id, instead of the complete document; repeatable.", valueName: "id"))
    var element: [String] = []

    @Option(name: .shortAndLong, help: ArgumentHelp("The file of the signed document.", valueName: "file"))
    var output: String?

    var wantsJSON: Bool { false }

    func perform(on console: Console) async throws -> CommandStatus {
        try passphrase.checkContradictions()
        let bytes = try InputFile.readArgument(document)
        let secret = try passphrase.read(console.environment)
        let identity = try await IdentityFile.read(
            identity, key: key, passphrase: secret, prompter: console.prompter, warningOn: console)
        let isMessage = try InputFile.naming(document) { try DocumentKind(of: bytes) } == .soapMessage
        if isMessage, !element.isEmpty { throw UsageError.contradiction("--element", "a SOAP message") }
        let signed =
            isMessage ? try await MessageSecurity.x509(identity).secure(bytes) : try await sign(bytes, identity)
        if let output { try OutputFile.write(signed, to: output) } else { try console.write(signed) }
        return .done
    }

    private func sign(_ bytes: [UInt8], _ identity: Identity) async throws -> [UInt8] {
        let signer = SignatureSigner(key: try PrivateSigningKey(identity.privateKey), certificates: identity.chain)
        let parts = element.map { SignatureSigner.Part.element(identifier: $0) }
        return try await signer.sign(bytes, parts: parts.isEmpty ? [.document] : parts)
    }
}

/// The kind of a document, which determines the form of its signature.
enum DocumentKind {
    case soapMessage
    case document

    /// Determines the kind from the name of the document's root element.
    ///
    /// - Throws: `XMLDocumentError`.
    init(of bytes: [UInt8]) throws {
        let tree = try XMLTree(parsing: bytes, limits: XMLLimits())
        let root = withExtendedLifetime(tree) { tree.root.name }
        let isEnvelope = SOAPVersion.allCases.contains { root == XMLName("Envelope", in: $0.namespace) }
        self = isEnvelope ? .soapMessage : .document
    }
}
