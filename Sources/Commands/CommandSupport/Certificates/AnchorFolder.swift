// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Countersign
package import ErrorExplanations
import EssentialFoundation
import Identities
import POSIX
import SwiftASN1
package import X509

/// The certificates that the user has imported: one PEM file each, named by its SHA-256 fingerprint.
package struct AnchorFolder {
    private let folder: URL

    package init(environment: [String: String]) {
        folder = ConfigurationFolder.url(environment).appending(path: "anchors", directoryHint: .isDirectory)
    }

    package var path: String { folder.path }

    /// Returns every imported certificate, in the order of the fingerprints.
    ///
    /// - Throws: ``AnchorFolderError`` for a damaged file; it is never skipped, because a missing anchor looks like an
    ///   attack.
    package func certificates() throws -> [Certificate] { try entries().map(\.certificate) }

    private func entries() throws -> [(file: URL, certificate: Certificate)] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        let names = try FileError.naming(.read, folder.path) {
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".pem") }
        }
        return try names.sorted().map { name in
            let file = folder.appending(path: name)
            try FilePermissions.check(file.path, in: folder.path)
            let found = try? CertificateFile.contents(of: Array(Data(contentsOf: file)))
            guard let found, let certificate = found.certificates.first, found.certificates.count == 1,
                found.unread.isEmpty
            else {
                throw AnchorFolderError.broken(file.path)
            }
            return (file, certificate)
        }
    }

    /// - Returns: Whether the certificate was new.
    package func add(_ certificate: Certificate) throws -> Bool {
        try FileError.naming(.create, folder.path) {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        let file = file(of: certificate)
        guard !FileManager.default.fileExists(atPath: file.path) else { return false }
        try OutputFile.write(try certificate.serializeAsPEM().pemString + "\n", to: file.path, mode: 0o600)
        return true
    }

    /// Returns the one certificate whose fingerprint has this prefix, in hexadecimal with or without colons.
    package func certificate(matching prefix: String) throws -> Certificate {
        let wanted = Self.plain(prefix)
        let matches = try certificates().filter {
            Self.plain(CertificateSummary($0).fingerprint).hasPrefix(wanted)
        }
        guard !wanted.isEmpty, let match = matches.first else { throw AnchorFolderError.notFound(prefix) }
        guard matches.count == 1 else { throw AnchorFolderError.ambiguous(prefix, count: matches.count) }
        return match
    }

    /// Removes every file that contains the certificate, even if the user has renamed the file.
    package func remove(_ certificate: Certificate) throws {
        for entry in try entries() where entry.certificate == certificate {
            try FileError.naming(.remove, entry.file.path) { try FileManager.default.removeItem(at: entry.file) }
        }
    }

    private func file(of certificate: Certificate) -> URL {
        folder.appending(path: Self.plain(CertificateSummary(certificate).fingerprint) + ".pem")
    }

    /// Returns a fingerprint without colons, in lower case.
    package static func plain(_ fingerprint: String) -> String {
        fingerprint.filter { $0 != ":" && $0 != " " }.lowercased()
    }
}

extension FileError {
    /// Converts a Foundation error to the system error that caused it.
    fileprivate static func naming<Value>(
        _ operation: Operation, _ path: String, _ body: () throws -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch let error as CocoaError {
            let cause = error.userInfo["NSUnderlyingError"] as? POSIXError
            throw FileError(operation, path: path, code: cause?.code.rawValue ?? EIO)
        }
    }
}

package enum AnchorFolderError: Error, Hashable {
    case broken(String)
    case notFound(String)
    case ambiguous(String, count: Int)
    case notAnAuthority(subject: String)
}

extension AnchorFolderError: CataloguedError {
    package var explanation: ErrorExplanation {
        switch self {
        case .broken(let path):
            ErrorExplanation(
                "anchor.broken", "The imported anchor \(path) cannot be read.",
                reason: "The file was changed after the import, or is damaged.",
                advice: "Remove the file, and import the certificate again.")
        case .notFound(let prefix):
            ErrorExplanation(
                "anchor.not-found", "No imported anchor has a fingerprint that begins with \"\(prefix)\".",
                reason: "The anchor was not imported, or was removed.",
                advice: "List the imported anchors with 'countersign trust list'.")
        case .ambiguous(let prefix, let count):
            ErrorExplanation(
                "anchor.ambiguous",
                "\(count) imported anchors have a fingerprint that begins with \"\(prefix)\".",
                reason: "It is not clear which of them is meant.", advice: "Write more of the fingerprint.")
        case .notAnAuthority(let subject):
            ErrorExplanation(
                "anchor.not-an-authority", "\(subject) is not the certificate of an authority. Nothing was imported.",
                reason:
                    "Its basicConstraints do not say CA:TRUE, so it vouches for no other certificate; as an anchor it would be trusted past its issuer and its revocation. Without its private key it is no identity.",
                advice:
                    "Import the certificate of its authority, or a file that holds its private key too. If its server is to be trusted by this certificate alone, say so by name."
            )
        }
    }

    package static var examples: [AnchorFolderError] {
        [
            .broken("/home/me/.config/countersign/anchors/1f2e.pem"), .notFound("1f2e"), .ambiguous("1f", count: 2),
            .notAnAuthority(subject: "CN=intranet.example"),
        ]
    }
}
