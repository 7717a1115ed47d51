// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

/// The paths that were tried as one tree that begins with the leaf: what paths have in common is there once.
final class TriedPaths {
    let certificate: CertificateSummary
    /// 0 for the leaf.
    let depth: Int
    /// The trusted one first, so that it runs straight; the others as they were tried.
    private(set) var issuers: [TriedPaths] = []
    /// The checks that failed here.
    private(set) var failures: [TrustFailure] = []
    private(set) var isTrusted = false

    /// - Parameters:
    ///   - verdict: Whose paths.
    ///   - leaf: Where they begin.
    ///   - limit: How many paths are taken in.
    init(_ verdict: Verdict, from leaf: CertificateSummary, limit: Int) {
        certificate = leaf
        depth = 0
        let trusted = verdict.path
        let paths = [verdict.mainPath].compactMap { $0 } + verdict.otherPaths
        for path in paths.prefix(limit) {
            add(path, isTrusted: path.failure == nil && path.certificates == trusted)
        }
        // What the leaf fails by itself is a failure of no path.
        failures += verdict.failures.filter { failure in
            !verdict.paths.contains { $0.failure == failure }
        }
        isTrusted = trusted != nil
    }

    private init(_ certificate: CertificateSummary, depth: Int) {
        self.certificate = certificate
        self.depth = depth
    }

    private func add(_ path: Verdict.Path, isTrusted: Bool) {
        var node = self
        for certificate in path.certificates.dropFirst() {
            node = node.issuer(certificate)
            if isTrusted { node.isTrusted = true }
        }
        if let failure = path.failure, !node.failures.contains(failure) { node.failures.append(failure) }
    }

    private func issuer(_ certificate: CertificateSummary) -> TriedPaths {
        if let known = issuers.first(where: { $0.certificate == certificate }) { return known }
        let issuer = TriedPaths(certificate, depth: depth + 1)
        issuers.append(issuer)
        return issuer
    }
}
