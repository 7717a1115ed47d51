// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509

/// The certificates that a server presented.
///
/// What a search asks of them is read here, once, however often the chain is evaluated.
public struct PresentedChain: Hashable, Sendable {
    /// Real servers present a handful; the first of these are looked at.
    private static let limit = 256

    let parsedLeaf: ParsedCertificate
    let parsedIssuers: [ParsedCertificate]

    /// - Parameter certificates: Leaf first, the others in any order; empty gives `nil`.
    public init?(_ certificates: [Certificate]) {
        guard let leaf = certificates.first else { return nil }
        parsedLeaf = ParsedCertificate(leaf)
        parsedIssuers = certificates.dropFirst().prefix(Self.limit).map(ParsedCertificate.init)
    }

    /// Reads a chain from its bytes, which costs less than reading certificates first; `nil` where the leaf cannot be read.
    ///
    /// - Parameter derEncoded: Certificates in DER, leaf first, the others in any order. Of the others, one that cannot be read is left
    ///   out: it is none that a path needs.
    public init?(derEncoded: [[UInt8]]) {
        guard let leaf = derEncoded.first.flatMap({ try? ParsedCertificate(derEncoded: $0) }) else { return nil }
        parsedLeaf = leaf
        parsedIssuers = derEncoded.dropFirst().prefix(Self.limit).compactMap { try? ParsedCertificate(derEncoded: $0) }
    }

    /// The server's own certificate.
    public var leaf: CertificateSummary { parsedLeaf.summary }
    /// The others, in the order in which they came.
    public var issuers: [CertificateSummary] { parsedIssuers.map(\.summary) }
}
