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
    /// The others, in the order in which they came.
    public let issuers: ArraySlice<Certificate>

    /// - Parameter certificates: Leaf first, the others in any order; empty gives `nil`.
    public init?(_ certificates: [Certificate]) {
        guard let leaf = certificates.first else { return nil }
        parsedLeaf = ParsedCertificate(leaf)
        issuers = certificates.dropFirst()
        parsedIssuers = issuers.prefix(Self.limit).map(ParsedCertificate.init)
    }

    /// The server's own certificate.
    public var leaf: Certificate { parsedLeaf.certificate }
}
