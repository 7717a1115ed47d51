// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust
import Countersign
import ErrorExplanations
package import EssentialFoundation
package import Identities
package import Secrets
package import X509

/// The certificate files of `--anchor`.
package enum AnchorFiles {
    /// - Returns: The certificates of all files, in order.
    /// - Throws: ``FileError``, ``NamedFileError``.
    package static func read(_ paths: [String]) throws -> [Certificate] {
        try paths.flatMap { path in
            try InputFile.naming(path) { try CertificateFile.certificates(in: InputFile.read(path)) }
        }
    }

    /// - Returns: The certificates of all files as anchors, in order, with any signature algorithm.
    /// - Throws: ``FileError``, ``NamedFileError``.
    package static func anchors(_ paths: [String]) throws -> [CertificateSummary] {
        try paths.flatMap { path in
            try InputFile.naming(path) { try CertificateFile.anchors(in: InputFile.read(path)) }
        }
    }
}

/// An identity file, whose passphrase is asked for if there is a terminal.
package enum IdentityFile {
    /// Reads an identity, whose errors name its files.
    ///
    /// - Parameters:
    ///   - path: The path of the certificate and its key, or of the certificate alone.
    ///   - key: The path of the key; `nil` if the first file contains it.
    ///   - passphrase: The passphrase of an encrypted key or a PKCS#12 file; `nil` to ask for it.
    ///   - prompter: The terminal, on which the passphrase is asked for; `nil` if there is none.
    /// - Returns: The identity.
    /// - Throws: ``FileError``, ``NamedFileError``.
    package static func read(
        _ path: String, key: String? = nil, passphrase: Secret? = nil, prompter: (any Prompter)?
    ) async throws -> Identity {
        switch try await readForTLS(path, key: key, passphrase: passphrase, prompter: prompter) {
        case .identity(let identity): return identity
        case .encoded(let identity):
            return try InputFile.naming(path) { throw IdentityError.unsupported(identity.keyType) }
        }
    }

    /// Reads an identity of a TLS client, whose key may have any type; for the parameters and errors, see
    /// ``read(_:key:passphrase:prompter:)``.
    package static func readForTLS(
        _ path: String, key: String? = nil, passphrase: Secret? = nil, prompter: (any Prompter)?
    ) async throws -> PresentedIdentity {
        let key = key == path ? nil : key
        let bytes = try key == nil ? bytes(of: path) : InputFile.read(path)
        let keyBytes = try key.map { try InputFile.read($0) }
        func identity(_ passphrase: Secret?) throws -> PresentedIdentity {
            try InputFile.naming(key.map { "\(path) with \($0)" } ?? path) {
                do throws(IdentityError) {
                    guard let keyBytes else { return .identity(try Identity.read(bytes, passphrase: passphrase)) }
                    return .identity(
                        try Identity(pemCertificates: bytes, privateKey: keyBytes, passphrase: passphrase))
                } catch {
                    guard ![.passphraseNeeded, .wrongPassphrase].contains(error) else { throw error }
                    return .encoded(try encodedIdentity(bytes, keyBytes, passphrase, orThrow: error))
                }
            }
        }
        let attempt = Result { try identity(passphrase) }
        guard passphrase == nil, let prompter, case .failure(let error as NamedFileError) = attempt,
            let cause = error.error as? IdentityError, [.passphraseNeeded, .wrongPassphrase].contains(cause)
        else { return try attempt.get() }
        let answer = await prompter.ask("Passphrase of \((key ?? path).printable): ", isSecret: true)
        return try identity(answer.map { Secret($0) })
    }

    /// Reads an identity with a key of another type; if there is none, the original error is more specific.
    private static func encodedIdentity(
        _ bytes: [UInt8], _ keyBytes: [UInt8]?, _ passphrase: Secret?, orThrow original: IdentityError
    ) throws(IdentityError) -> EncodedIdentity {
        do throws(IdentityError) {
            guard let keyBytes else { return try EncodedIdentity.read(bytes, passphrase: passphrase) }
            return try EncodedIdentity(pemCertificates: bytes, privateKey: keyBytes, passphrase: passphrase)
        } catch {
            throw [.passphraseNeeded, .wrongPassphrase].contains(error) ? error : original
        }
    }

    /// Reads a chain from NAME.pem together with the key from NAME-key.pem, the two files that `ca issue` writes.
    private static func bytes(of path: String) throws(FileError) -> [UInt8] {
        let bytes = try InputFile.read(path)
        let key = path.hasSuffix(".pem") ? path.dropLast(4) + "-key.pem" : ""
        guard bytes.firstRange(of: Array("PRIVATE KEY-----".utf8)) == nil, FileState(path: String(key)) != nil else {
            return bytes
        }
        return bytes + [0x0A] + (try InputFile.read(String(key)))
    }
}

/// The text form of a certificate.
package enum CertificateText {
    package static func lines(_ certificate: CertificateSummary) -> [String] {
        [
            "Subject:     \(certificate.subject)",
            "Issuer:      \(certificate.issuer)",
            "Valid:       \(day(certificate.notBefore)) to \(day(certificate.notAfter))",
            "Fingerprint: \(certificate.fingerprint) (SHA-256)",
        ]
    }

    /// Returns the day of the last second before an instant, which is the last day of a period that ends then.
    package static func lastDay(before date: Date) -> String { day(date - 1) }

    package static func day(_ date: Date) -> String {
        String(date.formatted(.iso8601).prefix(10))
    }
}
