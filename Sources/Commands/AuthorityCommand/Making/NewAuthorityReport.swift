// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import AuthorityStore
import CertificateAuthority
import CertificateTrust
import CommandSupport
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What `init --json` prints.
struct NewAuthorityReport: Encodable {
    struct Authority: Encodable {
        let subject: String
        let fingerprint: String
        let notAfter: Date

        init(_ certificate: Certificate) {
            let summary = CertificateSummary(certificate)
            (subject, fingerprint, notAfter) = (summary.subject, summary.fingerprint, summary.notAfter)
        }
    }

    let name: String
    let folder: String
    let permitted: [String]
    let root: Authority
    let issuing: Authority
    let rootKey: String
    let issuingKey: String

    init(
        _ settings: AuthoritySettings, _ folder: URL, root: CertificateAuthority, issuing: CertificateAuthority,
        _ permitted: [String]
    ) {
        (name, self.permitted) = (settings.name, permitted)
        self.folder = folder.path
        (self.root, self.issuing) = (Authority(root.certificate), Authority(issuing.certificate))
        rootKey = Self.text(settings.rootKey, folder)
        issuingKey = Self.text(settings.issuingKey, folder)
    }

    private static func text(_ place: AuthoritySettings.KeyPlace, _ folder: URL) -> String {
        switch place {
        case .file(let name): folder.appending(path: name).path
        case .keychain(let label): "\"\(label)\" in the keychain"
        case .token(let uri, _): uri
        }
    }
}
