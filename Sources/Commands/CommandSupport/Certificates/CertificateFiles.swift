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
    /// Reads certificates, and warns of the parts of the files that were not read.
    ///
    /// - Returns: The certificates of all files, in order.
    /// - Throws: ``FileError``, ``NamedFileError``.
    package static func read(_ paths: [String], on console: Console) throws -> [Certificate] {
        try paths.flatMap { path in
            let contents = try InputFile.naming(path) { try CertificateFile.contents(of: InputFile.read(path)) }
            console.printWarning(unread: contents.unread.map(UnreadCertificate.init), in: path)
            return contents.certificates
        }
    }

    /// Reads the first certificate of a file; if it cannot be read, no other takes its place.
    ///
    /// - Throws: ``FileError``, ``NamedFileError``.
    package static func first(in path: String) throws -> Certificate {
        try InputFile.naming(path) { try CertificateFile.first(in: InputFile.read(path)) }
    }

    /// Reads certificates as anchors, with any signature algorithm, and warns of the parts of the files that were not
    /// read.
    ///
    /// - Parameters:
    ///   - paths: The files, and folders, of which every file is read.
    ///   - console: The console that prints the warnings.
    /// - Returns: The certificates of all files, in order.
    /// - Throws: ``FileError``, ``NamedFileError``.
    package static func anchors(_ paths: [String], on console: Console) throws -> [CertificateSummary] {
        try paths.flatMap { path in
            if path != "-", FileState(path: path)?.isFolder == true { return try anchors(inFolder: path, on: console) }
            let contents = try contents(path)
            console.printWarning(unread: contents.unread, in: InputFile.name(ofArgument: path))
            return contents.certificates
        }
    }

    private static func contents(_ path: String) throws -> CertificateFile.AnchorContents {
        try InputFile.naming(path) { try CertificateFile.anchorContents(of: InputFile.readArgument(path)) }
    }

    /// Reads the files of a folder, in the order of their names; a file without certificates is only a warning.
    private static func anchors(inFolder path: String, on console: Console) throws -> [CertificateSummary] {
        let folder = path.hasSuffix("/") ? path : path + "/"
        var (anchors, problems) = ([CertificateSummary](), [any Error]())
        for name in try FileManager.default.contentsOfDirectory(atPath: path).sorted() {
            let file = folder + name
            guard !name.hasPrefix("."), let state = FileState(path: file), !state.isFolder else { continue }
            do {
                let contents = try contents(file)
                console.printWarning(unread: contents.unread, in: file)
                for anchor in contents.certificates where !anchors.contains(anchor) { anchors.append(anchor) }
            } catch {
                problems.append(error)
            }
        }
        if anchors.isEmpty { throw problems.first ?? NamedFileError(path: path, error: IdentityError.noCertificate) }
        console.printWarning(problems.map { Failure($0).message })
        return anchors
    }
}

extension Console {
    /// Prints a warning for each part of a file that was not read, at most ten.
    package func printWarning(unread: [UnreadCertificate], in path: String) {
        printWarning(unread.map { "\(path.printable): \($0)." })
    }

    fileprivate func printWarning(_ lines: [String]) {
        for line in lines.prefix(10) { printError("countersign: warning: not read: \(line)") }
        if lines.count > 10 { printError("countersign: warning: not read: and \(lines.count - 10) others.") }
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
    ///   - console: The console that prints warnings of certificates in PEM, DER or PKCS#7 that were not read.
    /// - Returns: The identity.
    /// - Throws: ``FileError``, ``NamedFileError``.
    package static func read(
        _ path: String, key: String? = nil, passphrase: Secret? = nil, prompter: (any Prompter)?,
        warningOn console: Console? = nil
    ) async throws -> Identity {
        switch try await readForTLS(
            path, key: key, passphrase: passphrase, prompter: prompter, warningOn: console)
        {
        case .identity(let identity): return identity
        case .encoded(let identity):
            return try InputFile.naming(path) { throw IdentityError.unsupported(identity.keyType) }
        }
    }

    /// Reads an identity of a TLS client, whose key may have any type; for the parameters and errors, see
    /// ``read(_:key:passphrase:prompter:)``.
    package static func readForTLS(
        _ path: String, key: String? = nil, passphrase: Secret? = nil, prompter: (any Prompter)?,
        warningOn console: Console? = nil
    ) async throws -> PresentedIdentity {
        let key = key == path ? nil : key
        let bytes = try key == nil ? bytes(of: path) : InputFile.read(path)
        let keyBytes = try key.map { try InputFile.read($0) }
        if let console, let contents = try? CertificateFile.contents(of: bytes) {
            let unread = contents.unread.filter { $0.reason != .keyWhereCertificateExpected }
            console.printWarning(unread: unread.map(UnreadCertificate.init), in: path)
        }
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

    /// Returns the fields of a certificate that was not read, as far as they can be read.
    package static func lines(unread certificate: CertificateSummary) -> [String] {
        [
            certificate.subject.isEmpty ? nil : "Subject:     \(certificate.subject)",
            certificate.issuer.isEmpty ? nil : "Issuer:      \(certificate.issuer)",
            certificate.serialNumber.isEmpty ? nil : "Serial:      \(certificate.serialNumber)",
            certificate.hasValidity ? "Valid:       \(validity(certificate))" : nil,
            certificate.names.isEmpty ? nil : "Names:       \(certificate.names.prefix(10).joined(separator: ", "))",
            certificate.keyName.map { "Key:         \($0)" },
            "Fingerprint: \(certificate.fingerprint) (SHA-256)",
        ].compactMap(\.self)
    }

    /// Returns the days of a validity period, of which one end may be unreadable.
    private static func validity(_ certificate: CertificateSummary) -> String {
        let first = certificate.notBefore == .distantFuture ? "?" : day(certificate.notBefore)
        return first + " to " + (certificate.notAfter == .distantPast ? "?" : day(certificate.notAfter))
    }

    /// Returns the day of the last second before an instant, which is the last day of a period that ends then.
    package static func lastDay(before date: Date) -> String { day(date - 1) }

    package static func day(_ date: Date) -> String {
        String(date.formatted(.iso8601).prefix(10))
    }
}
