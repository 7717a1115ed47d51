// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import CertificateAuthority
import CommandSupport
import Identities
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The file of the key of an account, one for each directory.
struct ACMEAccountFile {
    private let folder: URL
    private let file: URL

    init(directory: String, _ environment: [String: String]) {
        folder = ConfigurationFolder.url(environment).appending(path: "acme", directoryHint: .isDirectory)
        let place = directory.split(separator: "://", maxSplits: 1).last.map(String.init) ?? directory
        file = folder.appending(path: place.fileName + ".pem")
    }

    /// The key; a new one where there is none.
    ///
    /// - Throws: AuthorityCommandError, `UnsafeFileError`, `ExposedKeyError`, `FileError`.
    func key() throws -> AccountKey {
        guard FileManager.default.fileExists(atPath: file.path) else { return try makeKey() }
        try OwnFiles.check(file.path, in: folder.path)
        try OwnFiles.checkKey(file.path)
        let text = String(decoding: try InputFile.read(file.path), as: UTF8.self)
        guard let key = try? AccountKey(Certificate.PrivateKey(pemEncoded: text)) else {
            throw AuthorityCommandError.malformedAccountKey(path: file.path)
        }
        return key
    }

    private func makeKey() throws -> AccountKey {
        let key = try CertificateAuthority.KeyType.p256.makeKey()
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let output = try OutputFile(path: file.path, newMode: 0o600, replaces: false)
        try output.write(try Identity.pemEncoded(key))
        try output.commit()
        return try AccountKey(key)
    }
}
