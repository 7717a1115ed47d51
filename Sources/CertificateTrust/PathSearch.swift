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
    /// Bounds on what a hostile chain can cost.
    ///
    /// Real chains need a handful of each.
    private enum Budget {
        static let signatureChecks = 64
        static let steps = 512
        static let depth = 10
    }

    private struct Link: Hashable {
        let issued: CandidatePool.Index
        let issuer: CandidatePool.Index
    }

    private struct Attempt {
        let path: [CandidatePool.Index]
        let failure: TrustFailure?
        /// The last link, where it failed before its signature was looked at.
        var unprovedLink: Link?
    }

    private var pool: CandidatePool
    private let time: Date
    private let requirements: PathRequirements
    private let peers: [PeerName]
    private let publicSuffixes: PublicSuffixList?
    private var attempts: [Attempt] = []
    private var signatures: [Link: Bool] = [:]
    private var steps = 0
    private var isTooDeep = false
    private var comparisons = NameConstraintsCheck.Budget()

    init(
        chain: PresentedChain, peers: [PeerName], anchors: [AnchorStore], requirements: PathRequirements,
        publicSuffixes: PublicSuffixList?, time: Date
    ) {
        self.peers = peers
        self.publicSuffixes = publicSuffixes
        pool = CandidatePool(chain, anchors: anchors)
        self.requirements = requirements
        self.time = time
    }

    private var isExhausted: Bool {
        steps >= Budget.steps || signatures.count >= Budget.signatureChecks || comparisons.isExhausted
    }

    /// Every path tried, in order.
    var paths: [Verdict.Path] {
        var summaries: [CandidatePool.Index: CertificateSummary] = [:]
        for index in Set(attempts.flatMap(\.path)) { summaries[index] = CertificateSummary(pool[index].certificate) }
        return attempts.map { .init(certificates: $0.path.compactMap { summaries[$0] }, failure: $0.failure) }
    }

    /// - Returns: The trusted path, leaf first.
    mutating func run() -> [Certificate]? {
        guard let found = search() else { return nil }
        return found.map { pool[$0].certificate }
    }

    /// The failures of the paths that were tried, once there is no good one; the search's own comes first.
    mutating func failures() -> [TrustFailure] {
        if isExhausted || isTooDeep { return [.budgetExhausted(signatureChecks: signatures.count)] }
        let failures = attempts.compactMap { explained($0) }
        // A path that got to an anchor and failed there says more than the dead ends beside it.
        let complete = failures.filter { !$0.isDeadEnd }
        return complete.isEmpty ? failures : complete
    }

    private mutating func search() -> [CandidatePool.Index]? {
        // A server's own certificate among the anchors needs nobody to vouch for it.
        if pool[pool.leaf].profile != nil, complete([pool.leaf]) { return [pool.leaf] }
        return extend([pool.leaf])
    }

    private mutating func extend(_ path: [CandidatePool.Index]) -> [CandidatePool.Index]? {
        guard let last = path.last else { return nil }
        guard path.count <= Budget.depth else {
            isTooDeep = true
            return nil
        }
        var (isIssued, wasTried) = (false, false)
        for issuer in pool.issuers(of: last) where !path.contains(issuer) {
            steps += 1
            guard !isExhausted else { return nil }
            wasTried = true
            guard isAuthority(issuer, above: path) else { continue }
            isIssued = true
            let longer = path + [issuer]
            if pool[issuer].profile != nil, complete(longer) { return longer }
            if let found = extend(longer) { return found }
            guard !isExhausted else { return nil }
        }
        if !isIssued { recordDeadEnd(path, last, wasTried: wasTried) }
        return nil
    }

    /// Checks what is above the path against it, the cheap things first.
    private mutating func isAuthority(_ issuer: CandidatePool.Index, above path: [CandidatePool.Index]) -> Bool {
        guard let last = path.last else { return false }
        let link = Link(issued: last, issuer: issuer)
        let (authority, issued) = (pool[issuer].certificate, pool[last].certificate)
        do {
            let below = path.map { pool[$0].certificate }
            try AuthorityChecks.check(authority, above: below, for: requirements, at: time)
            try AlgorithmCheck.checkSignature(of: issued, for: requirements)
        } catch {
            attempts.append(Attempt(path: path + [issuer], failure: error, unprovedLink: link))
            return false
        }
        if isSigned(link) { return true }
        record(
            path + [issuer],
            .badSignature(CertificateSummary(issued), issuer: CertificateSummary(authority)))
        return false
    }

    /// Checks what only the whole path shows.
    private mutating func complete(_ path: [CandidatePool.Index]) -> Bool {
        let certificates = path.map { pool[$0].certificate }
        do {
            try NameConstraintsCheck.check(certificates, budget: &comparisons)
            let profile = path.last.flatMap { pool[$0].profile } ?? .webPKI
            try ConformanceCheck.check(
                certificates, against: requirements.rules ?? profile.rules, for: peers, publicSuffixes: publicSuffixes)
            record(path, nil)
            return true
        } catch {
            record(path, error)
            return false
        }
    }

    private mutating func recordDeadEnd(
        _ path: [CandidatePool.Index], _ last: CandidatePool.Index, wasTried: Bool
    ) {
        let certificate = pool[last].certificate
        if certificate.subject == certificate.issuer, isSigned(Link(issued: last, issuer: last)) {
            let summary = CertificateSummary(certificate)
            record(path, path.count == 1 ? .selfSigned(summary) : .unknownRoot(summary))
        } else if !wasTried {
            record(path, .issuerNotFound(of: CertificateSummary(certificate)))
        }
    }

    private mutating func record(_ path: [CandidatePool.Index], _ failure: TrustFailure?) {
        attempts.append(Attempt(path: path, failure: failure))
    }

    private mutating func isSigned(_ link: Link) -> Bool {
        if let known = signatures[link] { return known }
        let issued = pool[link.issued].certificate
        let isValid = pool[link.issuer].certificate.publicKey.isValidSignature(issued.signature, for: issued)
        signatures[link] = isValid
        return isValid
    }

    /// Leaves out what is said of an authority that merely has the name of the true one.
    private mutating func explained(_ attempt: Attempt) -> TrustFailure? {
        if let link = attempt.unprovedLink, isProved(link.issued) || signsItself(link.issued), !isExhausted,
            !isSigned(link)
        {
            return nil
        }
        if case .badSignature = attempt.failure, let issued = attempt.path.dropLast().last, isProved(issued) {
            return nil
        }
        return attempt.failure
    }

    private func isProved(_ issued: CandidatePool.Index) -> Bool {
        signatures.contains { $0.key.issued == issued && $0.value }
    }

    private mutating func signsItself(_ index: CandidatePool.Index) -> Bool {
        let certificate = pool[index].certificate
        return certificate.subject == certificate.issuer && !isExhausted && isSigned(Link(issued: index, issuer: index))
    }
}
