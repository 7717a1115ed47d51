// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSession
import CommandSupport
import Identities
import Keychains
import Secrets
import X509

/// The contents of a file or URL that wait until the user has compared their fingerprints.
struct PendingImport: Sendable {
    /// A certificate, as the page shows it.
    struct Entry: Sendable {
        let title: String
        let text: String
        let fingerprint: String
        let isIdentity: Bool
    }

    /// The random name in the path of the confirmation page.
    let name: String
    /// The file's name or the URL, for display.
    let source: String
    /// Whether the contents were fetched over plain HTTP.
    let isUnprotected: Bool
    let entries: [Entry]
    /// The fingerprints of all entries, each of which has to be confirmed.
    let fingerprints: String
    /// The descriptions of contents that are not added.
    let omissions: [String]
    /// Whether a certificate is not that of a root authority, so that it becomes an anchor only if the user chooses so.
    let hasOthers: Bool
    private let contents: ImportedCertificates
    private let names: [Certificate: String]

    /// Reads the bytes of an uploaded or fetched file.
    ///
    /// - Throws: ``CredentialsError/nothingInFile``, `IdentityError`.
    init(_ bytes: [UInt8], passphrase: Secret?, from source: String) throws {
        let contents = try IdentityContents(of: bytes, passphrase: passphrase, privateKeys: .included)
        if contents.isLocked { throw IdentityError.passphraseNeeded }
        let imported = try ImportedCertificates(contents)
        names = Dictionary(
            imported.certificates.compactMap { certificate in
                contents.friendlyName(of: certificate).map { (certificate, $0) }
            }, uniquingKeysWith: { first, _ in first })
        entries =
            imported.identities.map { Entry(CertificateSummary($0.identity.certificate), isIdentity: true) }
            + imported.certificates.map { Entry(CertificateSummary($0), isIdentity: false) }
        omissions = imported.omissions(as: .anchor)
        hasOthers = imported.hasOthers
        self.contents = imported
        fingerprints = entries.map(\.fingerprint).joined(separator: " ")
        guard !entries.isEmpty else { throw CredentialsError.nothingInFile }
        (name, self.source) = (BrowserAccess.randomText(), source)
        isUnprotected = source.lowercased().hasPrefix("http://")
    }

    /// Returns the items to add.
    ///
    /// - Parameter setting: The setting of the certificates without a key; `nil` if the user chose none, so that
    ///   authorities become anchors.
    /// - Returns: The items, which may be in the keychain already.
    /// - Throws: `AnchorFolderError.notAnAuthority(subject:)` for a certificate that does not belong to an authority,
    ///   if no setting was chosen, and `KeychainError`.
    func items(_ setting: TrustSettings.Setting?) throws -> [NewItem] {
        try contents.identities.map { identity, name in
            var new = try NewItem.identity(identity, label: name ?? "")
            new.keepsStoredAccessibility = true
            return new
        }
            + contents.certificates(as: setting).map {
                try NewItem.certificate($0, trust: setting ?? .anchor, label: names[$0] ?? "")
            }
    }
}

extension PendingImport.Entry {
    init(_ certificate: CertificateSummary, isIdentity: Bool) {
        title = certificate.shortName
        text = CertificateText.lines(certificate).joined(separator: "\n")
        fingerprint = certificate.fingerprint
        self.isIdentity = isIdentity
    }
}
