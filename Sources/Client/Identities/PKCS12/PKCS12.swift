// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Secrets
internal import SwiftASN1
public import X509

/// The contents of a PKCS#12 file (RFC 7292), also known as PFX.
///
/// The integrity is checked first. Keys are paired with certificates by public key, because local key identifiers are
/// often missing and sometimes wrong. The encryptions of old software are read too: 3DES, RC2 and RC4.
public struct PKCS12: Sendable {
    /// Each key that has a certificate, in the order of the keys, with the issuers that the file holds.
    public let identities: [Identity]
    /// Every certificate, leaves among them, in the order of the file, repeated ones once.
    public let certificates: [Certificate]
    /// The certificates that Java's trust store marks as trusted.
    public let trustedCertificates: [Certificate]
    /// The keys without a certificate in the file.
    public let unmatchedKeys: [Certificate.PrivateKey]
    /// The number of bags with neither an X.509 certificate nor a private key.
    public let ignoredBagCount: Int
    /// Whether the file has an integrity check, which the passphrase has then passed.
    public let isAuthenticated: Bool

    private let friendlyNames: [Certificate.PublicKey: String]

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: The file, in DER or BER, of at most 8 MiB.
    ///   - passphrase: The passphrase of the file; for `nil` and for an empty one, both no password and an empty password are tried.
    /// - Throws: ``IdentityError/wrongPassphrase`` or, where none was given, ``IdentityError/passphraseNeeded``;
    ///   ``IdentityError/unsupported(_:)``, ``IdentityError/malformed(_:offset:)`` and ``IdentityError/tooLarge(_:limit:)``.
    public init(_ bytes: some Collection<UInt8>, passphrase: Secret? = nil) throws(IdentityError) {
        try self.init(Array(bytes), passphrase: passphrase, budget: WorkBudget())
    }

    init(_ bytes: [UInt8], passphrase: Secret?, budget: WorkBudget) throws(IdentityError) {
        let file = try PFX(bytes)
        let reader = try SafeReader(file, passphrase: passphrase, budget: budget)
        try self.init(reader, isAuthenticated: file.mac != nil)
    }

    private init(_ reader: SafeReader, isAuthenticated: Bool) throws(IdentityError) {
        let certificates = reader.certificates.map(\.certificate)
        var identities: [Identity] = []
        var unmatchedKeys: [Certificate.PrivateKey] = []
        for found in reader.keys {
            if let leaf = reader.leaf(of: found) {
                let chain = [leaf] + IssuerPath(from: leaf, among: certificates).issuers
                identities.append(try Identity(chain: chain, privateKey: found.key))
            } else {
                unmatchedKeys.append(found.key)
            }
        }
        self.identities = identities
        self.certificates = certificates
        self.unmatchedKeys = unmatchedKeys
        self.isAuthenticated = isAuthenticated
        trustedCertificates = reader.certificates.filter(\.attributes.isTrusted).map(\.certificate)
        ignoredBagCount = reader.ignoredBags
        friendlyNames = reader.friendlyNames
    }

    /// The name that the file gives to a certificate or to its key.
    ///
    /// - Parameter certificate: One of ``certificates``.
    /// - Returns: The name, which may be empty; `nil` for none.
    public func friendlyName(of certificate: Certificate) -> String? {
        friendlyNames[certificate.publicKey]
    }
}
