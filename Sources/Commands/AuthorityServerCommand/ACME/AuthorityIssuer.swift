// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEServer
import AuthorityAccess
import AuthorityStore
import CertificateAuthority
import CertificateTrust
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What ACME asks of the authority.
struct AuthorityIssuer: CertificateIssuer {
    let open: OpenAuthority

    func mayIssue(for identifier: Identifier) async -> Bool { open.authority.permits(identifier.value) }

    func issue(
        _ request: CertificateRequest, for identifiers: [Identifier], profile: String?
    ) async throws -> [Certificate] {
        let now = Date()
        // The common name that the client asks for comes first, and so becomes that of the certificate.
        let common = request.commonNames.compactMap { Identifier($0) }
        let names = (identifiers.filter(common.contains) + identifiers.filter { !common.contains($0) }).map(\.value)
        let leaf = LeafProfile.server(names: names, validity: .days(open.settings.leafDays))
        let chain = try open.authority.issue(leaf, for: request.publicKey, now: now)
        try await open.store.record(chain[0], name: names.first ?? "", purpose: .server, now: now)
        return chain
    }

    func revoke(_ serialNumber: Certificate.SerialNumber, reason: RevocationReason) async throws -> Bool {
        try await open.store.revoke(Array(serialNumber.bytes), reason: reason, now: Date())
    }

    func certificate(_ serialNumber: Certificate.SerialNumber) async throws -> IssuedStatus? {
        try await open.store.certificate(Array(serialNumber.bytes)).map {
            IssuedStatus(certificate: $0.certificate, isRevoked: $0.revokedAt != nil)
        }
    }
}
