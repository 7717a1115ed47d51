// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509

/// The certificates that a server presented.
///
/// The certificates are parsed once, when the value is made, even if the chain is evaluated several times.
public struct PresentedChain: Hashable, Sendable {
    /// The maximum number of certificates used in addition to the leaf; real servers present a handful.
    private static let limit = 256
    /// The number of certificates beyond the maximum, which are not used.
    let omittedCount: Int

    let parsedLeaf: ParsedCertificate
    let parsedIssuers: [ParsedCertificate]

    /// Makes a chain from parsed certificates; `nil` if there are none.
    ///
    /// - Parameter certificates: The leaf, followed by the others
    ///   in any order. Of the others, only the first 256 are used.
    public init?(_ certificates: [Certificate]) {
        guard let leaf = certificates.first else { return nil }
        parsedLeaf = ParsedCertificate(leaf)
        parsedIssuers = certificates.dropFirst().prefix(Self.limit).map(ParsedCertificate.init)
        omittedCount = max(0, certificates.count - 1 - Self.limit)
        checkForm()
    }

    /// Reads a chain from its bytes, which costs less than parsing
    /// the certificates first; `nil` if the leaf cannot be read.
    ///
    /// - Parameter derEncoded: The certificates in DER: the leaf, followed by the others in any order. Of the others,
    ///   only the first 256 are used, and unreadable ones are skipped.
    public init?(derEncoded: [[UInt8]]) {
        guard let leaf = derEncoded.first.flatMap({ try? ParsedCertificate(derEncoded: $0) }) else { return nil }
        parsedLeaf = leaf
        parsedIssuers = derEncoded.dropFirst().prefix(Self.limit).compactMap { try? ParsedCertificate(derEncoded: $0) }
        omittedCount = max(0, derEncoded.count - 1 - Self.limit)
        checkForm()
    }

    /// Computes the form rules that the certificates break, which depend on each certificate alone, and caches them.
    private func checkForm() {
        _ = parsedLeaf.brokenRules(asLeaf: true)
        for issuer in parsedIssuers { _ = issuer.brokenRules(asLeaf: false) }
    }

    /// The server's own certificate.
    public var leaf: CertificateSummary { parsedLeaf.summary }
    /// The other certificates that can be read, in the order received; at most 256.
    public var issuers: [CertificateSummary] { parsedIssuers.map(\.summary) }
}
