// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import AuthorityAccess
import AuthorityStore
import CertificateAuthorities
import Foundation
import Identities
import Testing

@Suite struct EndWarningTests {
    @Test(
        "A warning is given before the authority's expiry shortens its certificates",
        arguments: [
            (rootDays: 1_000, ownDays: 95, warning: nil),
            (1_000, 93, "'countersign ca renew --issuing' renews it"),
            (93, 93, "have clients trust the root of a new authority before"),
        ] as [(rootDays: Int, ownDays: Int, warning: String?)])
    func warning(rootDays: Int, ownDays: Int, warning: String?) throws {
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        let root = try CertificateAuthority(name: "Root", validity: .days(rootDays), now: now)
        let own = try root.issueIntermediate(name: "Issuing", validity: .days(ownDays), now: now)
        let settings = try AuthoritySettings(
            name: "Home", chain: own.identity.chain, issuingKey: .file("issuing.pem"), rootKey: .file("root.pem"),
            publication: PublicationPoints(), leafDays: 47)
        let text = try settings.expiryWarning(at: now)
        #expect(text?.hasSuffix(warning ?? "") == (warning.map { _ in true }))
        #expect(text == nil || text?.contains("is valid until 2026-12-") == true, "\(text ?? "")")
    }
}
