// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSession
import CommandSupport
import Identities
import Keychain
import Secrets
import X509

/// What a file or a URL gave, until the user has compared its fingerprints.
struct Addition: Sendable {
    /// One certificate, as the page shows it.
    struct Entry: Sendable {
        let title: String
        let text: String
        let fingerprint: String
        let isIdentity: Bool
    }

    /// In the path of the page that confirms it.
    let name: String
    /// The file's name or the URL, for a person.
    let source: String
    /// Whether it came over plain HTTP.
    let isUnprotected: Bool
    let entries: [Entry]
    /// Of all entries: each has to be confirmed.
    let fingerprints: String
    private let identities: [(identity: Identity, label: String)]
    private let certificates: [(certificate: Certificate, label: String)]

    /// Reads what was sent or fetched.
    ///
    /// - Throws: ``CredentialsError/nothingInFile``, `IdentityError`.
    init(_ bytes: [UInt8], passphrase: Secret?, from source: String) throws {
        let contents = try IdentityContents(of: bytes, passphrase: passphrase, privateKeys: .included)
        if contents.isLocked { throw IdentityError.passphraseNeeded }
        identities = try contents.identities.compactMap { pair in
            guard let leaf = pair.chain.first,
                let key = contents.keys.first(where: { $0.publicKey == leaf.publicKey })?.privateKey
            else { return nil }
            return (try Identity(chain: pair.chain, privateKey: key), pair.friendlyName ?? "")
        }
        let used = Set(contents.identities.flatMap(\.chain))
        certificates = contents.certificates.filter { !used.contains($0) }.map {
            ($0, contents.friendlyName(of: $0) ?? "")
        }
        entries =
            identities.map { Entry(CertificateSummary($0.identity.certificate), isIdentity: true) }
            + certificates.map { Entry(CertificateSummary($0.certificate), isIdentity: false) }
        fingerprints = entries.map(\.fingerprint).joined(separator: " ")
        guard !entries.isEmpty else { throw CredentialsError.nothingInFile }
        (name, self.source) = (BrowserAccess.randomText(), source)
        isUnprotected = source.lowercased().hasPrefix("http://")
    }

    /// The items that are added.
    ///
    /// - Parameter setting: What the certificates without a key mean for servers.
    /// - Returns: The items, which are not in the keychain yet.
    /// - Throws: `KeychainError`.
    func items(_ setting: TrustSettings.Setting) throws -> [NewItem] {
        try identities.map { try NewItem.identity($0.identity, label: $0.label) }
            + certificates.map { try NewItem.certificate($0.certificate, trust: setting, label: $0.label) }
    }
}

extension Addition.Entry {
    init(_ certificate: CertificateSummary, isIdentity: Bool) {
        title = certificate.shortName
        text = CertificateText.lines(certificate).joined(separator: "\n")
        fingerprint = certificate.fingerprint
        self.isIdentity = isIdentity
    }
}
