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
    /// The certificates other than the leaf that were not read, in the order received.
    ///
    /// A leaf that was not read has a ``CertificateSummary/problem``.
    public private(set) var unread: [UnreadCertificate] = []

    /// Makes a chain from parsed certificates; `nil` if there are none.
    ///
    /// - Parameter certificates: The leaf, followed by the others
    ///   in any order. Of the others, only the first 256 are used.
    public init?(_ certificates: [Certificate]) {
        guard let leaf = certificates.first else { return nil }
        self.init(
            leaf: ParsedCertificate(leaf), count: certificates.count,
            issuers: certificates.dropFirst().prefix(Self.limit).map(ParsedCertificate.init))
    }

    /// Reads a chain from its bytes, which costs less than parsing the certificates first; `nil` if there are none.
    ///
    /// A leaf that cannot be read is not trusted, and has a ``CertificateSummary/problem``.
    ///
    /// - Parameter derEncoded: The certificates in DER: the leaf, followed by the others in any order. Of the others,
    ///   only the first 256 are used, and unreadable ones are listed in ``unread``.
    public init?(derEncoded: [[UInt8]]) {
        guard let leaf = derEncoded.first else { return nil }
        self.init(
            leaf: .outlining(leaf), count: derEncoded.count,
            issuers: derEncoded.dropFirst().prefix(Self.limit).map(ParsedCertificate.outlining))
    }

    private init(
        leaf: ParsedCertificate, count: Int, issuers: [ParsedCertificate], places: [PEMBundle.Place]? = nil
    ) {
        parsedLeaf = leaf
        parsedIssuers = issuers.filter { $0.problem == nil }
        omittedCount = max(0, count - 1 - Self.limit)
        func place(_ index: Int) -> PEMBundle.Place {
            places?[index] ?? PEMBundle.Place(position: index + 1, count: count, line: nil)
        }
        for (index, issuer) in issuers.enumerated() {
            guard let problem = issuer.problem else { continue }
            unread.append(place(index + 1).unread(issuer.bytes, problem))
        }
        if count > issuers.count + 1 {
            unread.append(place(issuers.count + 1).unread(nil, .tooManyCertificates(limit: Self.limit + 1)))
        }
        checkForm()
    }

    /// Reads a chain from the parts of a file, leaf first, each with its position among the parts, their number, and
    /// the line of a PEM block; `nil` if there are none.
    package init?(parts: [(position: Int, count: Int, line: Int?, derEncoded: [UInt8])]) {
        // Trust settings in a block of OpenSSL concern only an anchor.
        let encoded = parts.prefix(Self.limit + 1).map { AnchorTrust.split($0.derEncoded).certificate }
        guard let leaf = encoded.first else { return nil }
        self.init(
            leaf: .outlining(leaf), count: parts.count,
            issuers: encoded.dropFirst().map(ParsedCertificate.outlining),
            places: parts.map { PEMBundle.Place(position: $0.position, count: $0.count, line: $0.line) })
    }

    /// Returns the chain with further parts of its file that were not read.
    package func adding(_ unread: [UnreadCertificate]) -> Self {
        var copy = self
        copy.unread = (copy.unread + unread).sorted { $0.position < $1.position }
        return copy
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
