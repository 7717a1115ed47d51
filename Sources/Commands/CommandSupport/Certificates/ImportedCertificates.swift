// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust
import ErrorExplanations
package import Identities
package import X509

/// The contents of a file by their use: identities, certificates that may become anchors, and other certificates.
///
/// A certificate may become an anchor if its basicConstraints (RFC 5280 section 4.2.1.9) declare an authority, and no
/// authority of the same file has issued it: an intermediate as an anchor would be trusted regardless of the
/// constraints and the revocation of its issuer.
package struct ImportedCertificates: Sendable {
    /// The certificates with their keys, and their names in the file.
    package private(set) var identities: [(identity: Identity, name: String?)] = []
    /// The certificates without their keys, in the order of the file.
    package private(set) var certificates: [Certificate] = []
    /// The descriptions of contents that are not imported.
    package private(set) var omissions: [String] = []
    private var leaves: [Certificate] = []
    private var intermediates: Set<Certificate> = []

    /// Sorts the certificates of a file without keys by their use.
    package init(_ contents: CertificateFile.Contents) {
        divide(contents.certificates, among: contents.certificates)
        omissions = contents.unread.map(\.description)
    }

    /// Sorts the contents of a file by their use; its private keys are unlocked.
    ///
    /// - Throws: `IdentityError.keyDoesNotMatch(subject:)` if a key does not match the certificates, and
    ///   `IdentityError.noCertificate` if there are only keys.
    package init(_ contents: IdentityContents) throws(IdentityError) {
        var used: Set<Certificate> = []
        // A renewed certificate may have the key of its predecessor.
        let others = contents.certificates.filter { other in contents.keys.contains { $0.publicKey == other.publicKey }
        }
        for chain in contents.identities.map(\.chain) + others.map(contents.chain) {
            guard let leaf = chain.first, !identities.contains(where: { $0.identity.certificate == leaf }),
                let key = contents.keys.first(where: { $0.publicKey == leaf.publicKey })?.privateKey
            else { continue }
            identities.append((try Identity(chain: chain, privateKey: key), contents.friendlyName(of: leaf)))
            used.formUnion(chain)
        }
        divide(contents.certificates.filter { !used.contains($0) }, among: contents.certificates)
        let unpaired = contents.keys.filter { key in
            !identities.contains { $0.identity.certificate.publicKey == key.publicKey }
        }
        if !unpaired.isEmpty, identities.isEmpty || !leaves.isEmpty {
            // The certificate of a key may be one of those that were not read.
            if let error = contents.unread.error { throw error }
            guard let first = leaves.first ?? contents.certificates.first else { throw .noCertificate }
            throw .keyDoesNotMatch(subject: first.subject)
        }
        omissions += unpaired.map { "a private key (\($0.type ?? "locked")) without its certificate" }
        for issuer in identities.flatMap({ $0.identity.chain.dropFirst() }) {
            if let name = contents.friendlyName(of: issuer), !name.isEmpty {
                omissions.append("the name \(name.printable) of the issuer \(CertificateSummary(issuer).subject)")
            }
        }
        omissions += contents.otherContents.map { $0.printable }
        omissions += contents.unread.map(\.description)
        if contents.ignoredBagCount > 0 {
            omissions.append("\(contents.ignoredBagCount) contents that are neither certificates nor keys")
        }
    }

    /// Whether some certificates are imported only if the user names a trust setting.
    package var hasOthers: Bool { !leaves.isEmpty || !intermediates.isEmpty }

    /// Returns the certificates to import.
    ///
    /// - Parameter setting: The setting that the user named; `nil` if the user named none, so that authorities become
    ///   anchors.
    /// - Returns: The certificates, in the order of the file.
    /// - Throws: ``AnchorFolderError/notAnAuthority(subject:)`` for a certificate that does not belong to an authority,
    ///   if the user named no setting.
    package func certificates(as setting: TrustSettings.Setting?) throws(AnchorFolderError) -> [Certificate] {
        if setting != nil { return certificates }
        if let leaf = leaves.first { throw .notAnAuthority(subject: CertificateSummary(leaf).subject) }
        return certificates.filter { !intermediates.contains($0) }
    }

    /// Returns the descriptions of the contents that are not imported, each as a part of a sentence.
    package func omissions(as setting: TrustSettings.Setting?) -> [String] {
        guard setting == nil else { return omissions }
        return certificates.filter(intermediates.contains).map {
            let certificate = CertificateSummary($0)
            return "\(certificate.subject) as an anchor, because \(certificate.issuer) of the same file has issued it"
        } + omissions
    }

    private mutating func divide(_ certificates: [Certificate], among all: [Certificate]) {
        self.certificates = certificates
        let authorities = all.filter(\.isAuthority)
        for certificate in certificates {
            if !certificate.isAuthority {
                leaves.append(certificate)
            } else if certificate.issuer != certificate.subject,
                authorities.contains(where: { $0 != certificate && $0.subject == certificate.issuer })
            {
                intermediates.insert(certificate)
            }
        }
    }
}

extension Certificate {
    /// Whether the basicConstraints declare an authority; unreadable ones do not.
    package var isAuthority: Bool {
        if case .isCertificateAuthority? = try? extensions.basicConstraints { true } else { false }
    }
}
