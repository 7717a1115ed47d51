// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthority
import Identities
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Every certificate of a lab.
struct LabCertificates {
    private static let names = ["localhost", "127.0.0.1", "::1"]

    let root: Certificate
    let client: Identity
    private let good: Identity
    private let faulty: [LabServer.Kind: Identity]

    init(now: Date) throws {
        let root = try CertificateAuthority(name: "Countersign Lab Root", now: now)
        let intermediate = try root.issueIntermediate(name: "Countersign Lab Intermediate", now: now)
        let stranger = try CertificateAuthority(name: "Nobody's Root", now: now)
        self.root = root.certificate
        client = try intermediate.issue(.client(name: "Countersign Lab Client"), now: now)
        good = try intermediate.issue(.server(names: Self.names), now: now)

        var expired = LeafProfile.server(names: Self.names)
        expired.validity = .between(now - 30 * 86_400, and: now - 86_400 - 60)
        var notYetValid = LeafProfile.server(names: Self.names)
        notYetValid.validity = .between(now + 86_400, and: now + 30 * 86_400)
        let strangerIdentity = try stranger.issue(.server(names: Self.names), now: now)
        faulty = [
            .selfSigned: try CertificateAuthority.selfSigned(.server(names: Self.names), now: now),
            .unknownRoot: try Identity(
                chain: strangerIdentity.chain + [stranger.certificate], privateKey: strangerIdentity.privateKey),
            .untrustedAndClientCertificateRequired: strangerIdentity,
            .expired: try intermediate.issue(expired, now: now),
            .notYetValid: try intermediate.issue(notYetValid, now: now),
            .wrongHost: try intermediate.issue(.server(names: ["elsewhere.test"]), now: now),
            .missingIntermediate: try Identity(chain: [good.certificate], privateKey: good.privateKey),
        ]
    }

    func identity(of kind: LabServer.Kind) -> Identity { faulty[kind] ?? good }
}
