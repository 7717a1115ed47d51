// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The signers of revocation lists among the certificates that a search has to do with.
struct ListSigners: RevocationListSigners {
    /// What holds for the path holds for those of the signers too.
    struct Conditions {
        let policy: TrustPolicy.Revocation
        let evidence: RevocationEvidence
        let time: Date
        let distrusted: Set<Certificate>
    }

    private var pool: CandidatePool?
    private var path: [ParsedCertificate] = []
    private var conditions: Conditions?
    private var known: [ParsedCertificate: Bool] = [:]
    /// The signers whose own paths are being looked for, so that the search for none leads to itself.
    private let pending: [ParsedCertificate]
    /// How many more paths are looked for in an evaluation.
    private var remaining: Int

    init() { (pending, remaining) = ([], 4) }

    private init(pending: [ParsedCertificate]) { (self.pending, remaining) = (pending, pending.count > 1 ? 0 : 1) }

    /// Begins with another path.
    mutating func begin(_ path: [ParsedCertificate], _ pool: CandidatePool, _ conditions: Conditions) {
        (self.path, self.pool, self.conditions) = (path, pool, conditions)
        known = [:]
    }

    mutating func candidates(named name: NameKey, key: ArraySlice<UInt8>?) -> [Certificate] {
        pool?.candidates(named: name, key: key).map(\.certificate.certificate) ?? []
    }

    mutating func isTrusted(_ candidate: Certificate) -> Bool {
        guard let pool, let conditions, let anchor = path.last else { return false }
        let signer = ParsedCertificate(candidate)
        if path.dropFirst().contains(signer) || pending.contains(signer) { return true }
        if let known = known[signer] { return known }
        guard remaining > 0 else { return false }
        remaining -= 1
        var requirements = PathRequirements(purposes: [], keyUse: .every(KeyUsage(cRLSign: true)))
        requirements.rules = .privatePKI
        var search = PathSearch(
            pool: CandidatePool(pool, leaf: signer, anchor: anchor), peers: [], requirements: requirements,
            distrusted: conditions.distrusted, publicSuffixes: { nil },
            revocation: PathRevocation(
                policy: conditions.policy, evidence: conditions.evidence, time: conditions.time,
                signers: ListSigners(pending: pending + [signer])), time: conditions.time)
        let isTrusted =
            LeafChecks.failures(of: signer, [], requirements, at: conditions.time).isEmpty && search.run() != nil
        known[signer] = isTrusted
        return isTrusted
    }
}
