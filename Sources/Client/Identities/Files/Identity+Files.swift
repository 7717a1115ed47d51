// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Encodings
public import Secrets
package import X509

extension Identity {
    /// Reads an identity from one file: certificates and key in PEM, or PKCS#12.
    ///
    /// If the file has several identities, the result is that of the first key with a certificate.
    ///
    /// - Parameters:
    ///   - bytes: The file's contents, such as `Data` or `[UInt8]`, at most 8 MiB.
    ///   - passphrase: The passphrase of an encrypted key or a PKCS#12 file; `nil` for none.
    /// - Returns: The identity, with the leaf followed by its issuers.
    /// - Throws: ``IdentityError/passphraseNeeded`` and ``IdentityError/wrongPassphrase``, after which a caller may
    ///   prompt the user and try again, and every other ``IdentityError``.
    public static func read(
        _ bytes: some Collection<UInt8>, passphrase: Secret? = nil
    ) throws(IdentityError) -> Identity {
        let items = try EncodedItem.items(inAnyFile: Array(bytes))
        for case .pkcs12(let der) in items.map(\.item) { return try Identity(pkcs12: der, passphrase: passphrase) }
        return try Identity(items, passphrase: passphrase)
    }

    /// Reads certificates and a private key from one PEM file, in any order.
    ///
    /// - Parameters:
    ///   - bytes: The file. The key is PKCS#8, encrypted PKCS#8 (PBES2, PBES1), PKCS#1 or SEC 1; the last two may
    ///     have OpenSSL's traditional encryption (RFC 1421).
    ///   - passphrase: The passphrase of an encrypted key; `nil` for none.
    /// - Throws: ``IdentityError/noCertificate``, ``IdentityError/noPrivateKey``,
    ///   ``IdentityError/keyDoesNotMatch(subject:)``, ``IdentityError/passphraseNeeded``,
    ///   ``IdentityError/wrongPassphrase`` and other ``IdentityError``.
    public init(pem bytes: some Collection<UInt8>, passphrase: Secret? = nil) throws(IdentityError) {
        try self.init(try EncodedItem.placedItems(in: Array(bytes)), passphrase: passphrase)
    }

    /// Reads a pair of PEM files.
    ///
    /// - Parameters:
    ///   - certificates: The leaf and its issuers, in any order; a key in this file is ignored, so that both files may
    ///     be the same.
    ///   - privateKey: The leaf's key, in a form that ``init(pem:passphrase:)`` reads, or one of these forms in DER.
    ///   - passphrase: The passphrase of an encrypted key; `nil` for none.
    /// - Throws: ``IdentityError/keyWhereCertificateExpected`` and ``IdentityError/certificateWhereKeyExpected`` if the
    ///   two files were confused, and every other ``IdentityError``.
    public init(
        pemCertificates certificates: some Collection<UInt8>, privateKey: some Collection<UInt8>,
        passphrase: Secret? = nil
    ) throws(IdentityError) {
        let certificateItems = try EncodedItem.placedItems(in: Array(certificates))
        let (chain, unread) = CertificateFile.certificates(certificateItems)
        guard !chain.isEmpty else {
            if let error = unread.error { throw error }
            let items = certificateItems.map(\.item)
            guard !items.contains(where: \.isPrivateKey) else { throw .keyWhereCertificateExpected }
            throw items.unexpectedContent(of: .certificate) ?? .noCertificate
        }
        let keyItems = try EncodedItem.items(in: Array(privateKey))
        guard keyItems.contains(where: \.isPrivateKey) || !keyItems.contains(where: \.isCertificate) else {
            throw .certificateWhereKeyExpected
        }
        try self.init(chain: chain, unread: unread, keys: keyItems, passphrase: passphrase)
    }

    /// Reads the first identity of a PKCS#12 file.
    ///
    /// - Parameters:
    ///   - bytes: The file, in DER or BER, at most 8 MiB.
    ///   - passphrase: The passphrase of the file; if it is `nil` or
    ///     empty, both no password and an empty password are tried.
    /// - Throws: ``IdentityError/noCertificate``, ``IdentityError/noPrivateKey``,
    ///   ``IdentityError/keyDoesNotMatch(subject:)``, and the errors of ``PKCS12/init(_:passphrase:)``.
    public init(pkcs12 bytes: some Collection<UInt8>, passphrase: Secret? = nil) throws(IdentityError) {
        let contents = try PKCS12(bytes, passphrase: passphrase)
        if let identity = contents.identities.first {
            self = identity
        } else if let error = contents.unread.error {
            // The certificate of the key may be one of those that were not read.
            throw error
        } else if let certificate = contents.certificates.first {
            guard !contents.unmatchedKeys.isEmpty else { throw .noPrivateKey }
            throw .keyDoesNotMatch(subject: certificate.subject)
        } else {
            throw contents.unmatchedKeys.isEmpty ? .noPrivateKey : .noCertificate
        }
    }

    /// Reads an identity from the items of one file.
    private init(
        _ placed: [(item: EncodedItem, place: EncodedItem.Place)], passphrase: Secret?
    ) throws(IdentityError) {
        let (chain, unread) = CertificateFile.certificates(placed)
        let items = placed.map(\.item)
        guard !chain.isEmpty else {
            throw unread.error ?? items.unexpectedContent(of: .certificate) ?? .noCertificate
        }
        try self.init(chain: chain, unread: unread, keys: items, passphrase: passphrase)
    }

    /// Pairs the first key that matches a certificate with that certificate; the chain must not be empty.
    ///
    /// If there is no such certificate, it may be one of those that were not read.
    private init(
        chain: [Certificate], unread: [UnreadContent], keys: [EncodedItem], passphrase: Secret?
    ) throws(IdentityError) {
        var budget = WorkBudget()
        var hasKey = false
        var unreadKey: IdentityError?
        for item in keys {
            let found: Certificate.PrivateKey?
            do throws(IdentityError) {
                found = try item.privateKey(passphrase: passphrase, budget: &budget)
            } catch {
                guard error.isAboutForm else { throw error }
                unreadKey = unreadKey ?? error
                continue
            }
            guard let key = found else { continue }
            hasKey = true
            guard let leaf = chain.first(where: { $0.publicKey == key.publicKey }) else { continue }
            let path = IssuerPath(from: leaf, among: chain)
            try self.init(chain: [leaf] + path.issuers + path.others, privateKey: key)
            return
        }
        if let unreadKey { throw unreadKey }
        if hasKey, let error = unread.error { throw error }
        if hasKey, let first = chain.first { throw .keyDoesNotMatch(subject: first.subject) }
        throw keys.unexpectedContent(of: .privateKey) ?? .noPrivateKey
    }
}

extension Identity {
    /// The chain as PEM (RFC 7468), leaf first, each block ending in a line feed.
    ///
    /// It throws ``IdentityError/malformed(_:offset:)`` if a certificate cannot be encoded.
    public var pemEncodedChain: [UInt8] {
        get throws(IdentityError) { try CertificateFile.pem(chain) }
    }

    /// Returns a private key without a certificate as unencrypted PKCS#8 in PEM.
    package static func pemEncoded(_ privateKey: Certificate.PrivateKey) throws(IdentityError) -> [UInt8] {
        PEMBlock.encode("PRIVATE KEY", try PrivateKeyInfo.encode(privateKey))
    }

    /// The private key as unencrypted PKCS#8 in PEM (RFC 7468 section
    /// 10); write it only to a file that no other user can read.
    ///
    /// It throws ``IdentityError/keyNotExportable`` for a key that cannot leave its device.
    public var pemEncodedPrivateKey: [UInt8] {
        get throws(IdentityError) { PEMBlock.encode("PRIVATE KEY", try derEncodedPrivateKey) }
    }

    /// The private key as unencrypted PKCS#8 in DER (RFC 5958); write it only to a file that no other user can read.
    ///
    /// It throws ``IdentityError/keyNotExportable`` for a key that cannot leave its device.
    public var derEncodedPrivateKey: [UInt8] {
        get throws(IdentityError) { try PrivateKeyInfo.encode(privateKey) }
    }

    /// Encodes the private key as encrypted PKCS#8 in PEM: PBES2 with AES-256 and PBKDF2 with HMAC-SHA-256 (RFC 8018).
    ///
    /// - Parameters:
    ///   - passphrase: The passphrase that decrypts the key.
    ///   - iterations: The iterations of the key derivation, clamped
    ///     to the range from 1 to 600,000, which is the default.
    /// - Returns: A PEM block that ends in a line feed.
    /// - Throws: ``IdentityError/keyNotExportable`` for a key that cannot leave its device.
    public func pemEncodedPrivateKey(
        passphrase: Secret, iterations: Int = PKCS12.Encryption.maximumIterations
    ) throws(IdentityError) -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        let scheme = PKCS12.Encryption.aes256(iterations: iterations).scheme
        let der = try EncryptedPrivateKeyInfo.encode(
            privateKey, with: scheme, passphrase: passphrase, random: &random)
        return PEMBlock.encode("ENCRYPTED PRIVATE KEY", der)
    }
}
