// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

/// What a certificate must satisfy to have issued another, but for its time (RFC 5280 section 6.1.4).
enum AuthorityChecks {
    // The path is what stands below the authority, leaf first.
    static func check(
        _ authority: ParsedCertificate, above path: [ParsedCertificate], for requirements: PathRequirements
    ) throws(TrustFailure) {
        try CriticalExtensionsCheck.check(authority)
        try AlgorithmCheck.checkKey(of: authority)
        try checkConstraints(authority, above: path, requirements)
        let keyUsage = try authority.require(authority.keyUsage)
        if let keyUsage, !keyUsage.keyCertSign {
            throw .keyUsage(authority.summary, needed: ["keyCertSign"], found: keyUsage.names)
        }
        try LeafChecks.checkPurpose(authority, requirements)
    }

    private static func checkConstraints(
        _ authority: ParsedCertificate, above path: [ParsedCertificate], _ requirements: PathRequirements
    ) throws(TrustFailure) {
        guard case .isCertificateAuthority(maxPathLength: let limit) = try authority.require(authority.basicConstraints)
        else {
            throw .notAnAuthority(authority.summary)
        }
        // Self-issued certificates, as in a change of keys, do not count (section 6.1.4 step l).
        let found = path.dropFirst().count { !$0.isSelfIssued }
        let allowed = min(limit ?? .max, requirements.maximumDepth ?? .max)
        guard found > allowed else { return }
        throw .pathTooLong(authority.summary, allowed: allowed, found: found)
    }
}
