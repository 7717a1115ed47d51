// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a certificate must satisfy to have issued another (RFC 5280 section 6.1.4).
enum AuthorityChecks {
    // The path is what stands below the authority, leaf first.
    static func check(
        _ authority: Certificate, above path: [Certificate], for requirements: PathRequirements, at time: Date
    ) throws(TrustFailure) {
        try ValidityCheck.check(authority, at: time)
        try CriticalExtensionsCheck.check(authority)
        try AlgorithmCheck.checkKey(of: authority)
        try checkConstraints(authority, above: path, requirements)
        let keyUsage = try authority.read(.X509ExtensionID.keyUsage) { try $0.keyUsage }
        if let keyUsage, !keyUsage.keyCertSign { throw .keyUsage(CertificateSummary(authority)) }
        try LeafChecks.checkPurpose(authority, requirements)
    }

    private static func checkConstraints(
        _ authority: Certificate, above path: [Certificate], _ requirements: PathRequirements
    ) throws(TrustFailure) {
        let constraints = try authority.read(.X509ExtensionID.basicConstraints) { try $0.basicConstraints }
        guard case .isCertificateAuthority(let limit) = constraints else {
            throw .notAnAuthority(CertificateSummary(authority))
        }
        // Self-issued certificates, as in a change of keys, do not count (section 6.1.4 step l).
        let found = path.dropFirst().count { $0.subject != $0.issuer }
        guard let limit = [limit, requirements.maximumDepth].compactMap(\.self).min(), found > limit else { return }
        throw .pathTooLong(CertificateSummary(authority), allowed: limit, found: found)
    }
}
