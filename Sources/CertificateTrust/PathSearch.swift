// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Looks for a path from a leaf to an anchor, depth first, anchors before intermediates (RFC 4158).
struct PathSearch {
    /// Bounds on what a hostile chain can cost. Real chains need a handful of each.
    private enum Budget {
        static let signatureChecks = 64
        static let steps = 512
        static let depth = 10
    }

    private let chain: PresentedChain
    private let anchors: [AnchorStore]
    private let time: Date
    private var signatureChecks = 0
    private var steps = 0
    /// Fingerprints of the certificates whose signature was found good.
    private var verified: Set<String> = []
    private(set) var paths: [Verdict.Path] = []

    init(chain: PresentedChain, anchors: [AnchorStore], time: Date) {
        self.chain = chain
        self.anchors = anchors
        self.time = time
    }

    /// The failures of the paths that were tried, once there is no good one; the search's own comes first.
    var failures: [TrustFailure] {
        if signatureChecks >= Budget.signatureChecks || steps >= Budget.steps {
            return [.budgetExhausted(signatureChecks: signatureChecks)]
        }
        let failures = paths.compactMap(\.failure).filter { !isAnswered($0) }
        // A path that got to an anchor and failed there says more than the dead ends beside it.
        let complete = failures.filter { $0.rank < TrustFailure.deadEndRank }
        return complete.isEmpty ? failures : complete
    }

    /// Whether another authority of the same name did make the signature, so that it is neither broken nor forged.
    private func isAnswered(_ failure: TrustFailure) -> Bool {
        guard case .badSignature(let certificate, _) = failure else { return false }
        return verified.contains(certificate.fingerprint)
    }

    /// - Returns: The trusted path, leaf first.
    mutating func run() -> [Certificate]? {
        // A server's own certificate among the anchors needs nobody to vouch for it.
        if isAnchor(chain.leaf) {
            record([chain.leaf], nil)
            return [chain.leaf]
        }
        return extend([chain.leaf])
    }

    private mutating func extend(_ path: [Certificate]) -> [Certificate]? {
        guard let last = path.last, path.count <= Budget.depth else { return nil }
        var wasVerified = false
        for (issuer, isAnchor) in candidates(for: last) where !path.contains(issuer) {
            steps += 1
            guard steps < Budget.steps, signatureChecks < Budget.signatureChecks else { return nil }
            let longer = path + [issuer]
            do {
                try check(issuer, issued: last, above: path)
                wasVerified = true
                if isAnchor {
                    try NameConstraintsCheck.check(longer)
                    record(longer, nil)
                    return longer
                }
            } catch {
                record(longer, error)
                continue
            }
            if let found = extend(longer) { return found }
        }
        if !wasVerified { recordDeadEnd(path, last) }
        return nil
    }

    private mutating func check(
        _ issuer: Certificate, issued: Certificate, above path: [Certificate]
    ) throws(TrustFailure) {
        try AuthorityChecks.check(issuer, above: path, at: time)
        try AlgorithmCheck.checkSignature(of: issued)
        guard isValidSignature(of: issued, by: issuer) else {
            throw .badSignature(CertificateSummary(issued), issuer: CertificateSummary(issuer))
        }
        verified.insert(CertificateSummary(issued).fingerprint)
    }

    private func candidates(for certificate: Certificate) -> [(Certificate, isAnchor: Bool)] {
        let trusted = anchors.flatMap { $0.certificates(withSubject: certificate.issuer) }
        var seen = Set(trusted)
        let presented = chain.issuers.filter { $0.subject == certificate.issuer && seen.insert($0).inserted }
        return (trusted.map { ($0, true) } + presented.map { ($0, false) })
            .filter { certificate.mayBeIssued(by: $0.0) }
    }

    private func isAnchor(_ certificate: Certificate) -> Bool {
        anchors.contains { $0.contains(certificate) }
    }

    private mutating func recordDeadEnd(_ path: [Certificate], _ last: Certificate) {
        let summary = CertificateSummary(last)
        let signsItself = last.subject == last.issuer && isValidSignature(of: last, by: last)
        if signsItself { verified.insert(summary.fingerprint) }
        let hadCandidates = paths.contains { $0.certificates.dropLast().last == summary }
        if signsItself {
            record(path, path.count == 1 ? .selfSigned(summary) : .unknownRoot(summary))
        } else if !hadCandidates {
            record(path, .issuerNotFound(of: summary))
        }
    }

    private mutating func isValidSignature(of issued: Certificate, by issuer: Certificate) -> Bool {
        signatureChecks += 1
        return issuer.publicKey.isValidSignature(issued.signature, for: issued)
    }

    private mutating func record(_ path: [Certificate], _ failure: TrustFailure?) {
        paths.append(.init(certificates: path.map(CertificateSummary.init), failure: failure))
    }
}

extension TrustFailure {
    /// The rank from which a failure means that no anchor was reached.
    fileprivate static let deadEndRank = 6
}

extension Certificate {
    /// Whether the key identifiers agree, where both are there (RFC 5280 section 4.2.1.1); they guide the search and prove nothing.
    fileprivate func mayBeIssued(by issuer: Certificate) -> Bool {
        guard let wanted = (try? extensions.authorityKeyIdentifier)?.keyIdentifier,
            let offered = (try? issuer.extensions.subjectKeyIdentifier)?.keyIdentifier
        else { return true }
        return wanted == offered
    }
}
