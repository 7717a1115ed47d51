// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import ErrorExplanations
import Identities
import PKCS11
import Secrets
import X509

/// An identity whose private key is in a PKCS#11 token (RFC 7512).
enum TokenIdentity {
    /// Returns whether the value of an option is the URI of a key instead of a path.
    static func isURI(_ text: String) -> Bool { text.lowercased().hasPrefix("pkcs11:") }

    /// Finds an identity, after a login.
    ///
    /// - Parameters:
    ///   - text: The URI of the key with the path of the module.
    ///   - path: The path of the certificates; `nil` if the token has the certificate.
    ///   - pin: The PIN of the token; `nil` to ask for it.
    ///   - prompter: The terminal, on which the PIN is asked for; `nil` if there is none.
    /// - Returns: The identity, whose key signs in the token.
    /// - Throws: `TokenError`, ``UsageError``, ``FileError``, ``NamedFileError``.
    static func read(
        _ text: String, chain path: String?, pin: Secret?, prompter: (any Prompter)?
    ) async throws -> Identity {
        let uri = try TokenURI(text)
        guard let module = uri.module else {
            throw UsageError.value(path == nil ? "--identity" : "--key", "add ?module-path=PATH to the URI")
        }
        let token = try Token(uri, module: module)
        var pin = pin
        if token.needsPIN, pin == nil, let prompter {
            pin = await prompter.ask("PIN of the token \(token.label.printable): ", isSecret: true).map { Secret($0) }
        }
        try token.logIn(pin)
        let key = Certificate.PrivateKey(try token.key(uri))
        return try InputFile.naming(path ?? uri.description) {
            guard let bytes = try path.map({ try InputFile.read($0) }) ?? token.certificate(uri) else {
                throw IdentityError.noCertificate
            }
            let certificates = try CertificateFile.certificates(in: bytes)
            let leaf = certificates.first { $0.publicKey == key.publicKey }
            return try Identity(
                chain: [leaf].compactMap(\.self) + certificates.filter { $0 != leaf }, privateKey: key)
        }
    }
}
