// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Identities
public import Secrets

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Identity {
    /// Reads an identity from one file: certificates and key in PEM (RFC 7468), or PKCS#12 (RFC 7292).
    ///
    /// The calling thread waits for the file; a pipe can keep it waiting.
    ///
    /// - Parameters:
    ///   - file: A file URL; the file has at most 16 MiB.
    ///   - passphrase: The passphrase of an encrypted key or of a PKCS#12 file; `nil` where there is none.
    /// - Throws: `IdentityError` where the file holds no identity that can be read; ``SessionError`` of ``FileError/failed(path:_:code:)``
    ///   where the system cannot read the file, and of ``RequestError/invalidURL(_:_:)`` for a URL of another scheme or host.
    public init(contentsOf file: URL, passphrase: Secret? = nil) throws {
        self = try Identity.read(try ConfigurationFile(file).read(), passphrase: passphrase)
    }

    /// Reads the first identity of a PKCS#12 file (RFC 7292).
    ///
    /// The calling thread waits for the file; a pipe can keep it waiting.
    ///
    /// - Parameters:
    ///   - file: A file URL; the file has at most 16 MiB.
    ///   - passphrase: The passphrase. For `nil` and for an empty one, both no password and an empty password are tried.
    /// - Throws: `IdentityError` where the file has no key, no certificate, or no certificate for its key; ``SessionError`` of
    ///   ``FileError/failed(path:_:code:)`` where the system cannot read the file, and of ``RequestError/invalidURL(_:_:)`` for a URL of
    ///   another scheme or host.
    public init(pkcs12 file: URL, passphrase: Secret? = nil) throws {
        try self.init(pkcs12: try ConfigurationFile(file).read(), passphrase: passphrase)
    }

    /// Reads a pair of PEM files (RFC 7468).
    ///
    /// The calling thread waits for the files; a pipe can keep it waiting.
    ///
    /// - Parameters:
    ///   - certificates: The URL of a file with the leaf and its issuers, in any order; at most 16 MiB.
    ///   - privateKey: The URL of a file with the leaf's key, at most 16 MiB; it may be the same file.
    ///   - passphrase: The passphrase of an encrypted key; `nil` where the key is not encrypted.
    /// - Throws: `IdentityError` where the files hold no identity that can be read; ``SessionError`` of ``FileError/failed(path:_:code:)``
    ///   where the system cannot read one of them, and of ``RequestError/invalidURL(_:_:)`` for a URL of another scheme or host.
    public init(pemCertificates certificates: URL, privateKey: URL, passphrase: Secret? = nil) throws {
        try self.init(
            pemCertificates: try ConfigurationFile(certificates).read(),
            privateKey: try ConfigurationFile(privateKey).read(), passphrase: passphrase)
    }
}
