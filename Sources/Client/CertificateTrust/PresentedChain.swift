// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509

/// The certificates that a server presented.
///
/// The certificates are parsed once, when the value is made, however often the chain is evaluated.
public struct PresentedChain: Hashable, Sendable {
    /// Real servers present a handful; the first of these are looked at.
    private static let limit = 256

    let parsedLeaf: ParsedCertificate
    let parsedIssuers: [ParsedCertificate]

    /// Makes a chain of certificates that are already parsed; `nil` where there is none.
    ///
    /// - Parameter certificates: The leaf first, the others in any order. Of the others, only the first 256 are used.
    public init?(_ certificates: [Certificate]) {
        guard let leaf = certificates.first else { return nil }
        parsedLeaf = ParsedCertificate(leaf)
        parsedIssuers = certificates.dropFirst().prefix(Self.limit).map(ParsedCertificate.init)
        checkForm()
    }

    /// Reads a chain from its bytes, which costs less than reading certificates first; `nil` where the leaf cannot be read.
    ///
    /// - Parameter derEncoded: Certificates in DER, the leaf first, the others in any order. Of the others, only the first 256 are used,
    ///   and those that cannot be read are left out.
    public init?(derEncoded: [[UInt8]]) {
        guard let leaf = derEncoded.first.flatMap({ try? ParsedCertificate(derEncoded: $0) }) else { return nil }
        parsedLeaf = leaf
        parsedIssuers = derEncoded.dropFirst().prefix(Self.limit).compactMap { try? ParsedCertificate(derEncoded: $0) }
        checkForm()
    }

    /// Finds out which rules on form the certificates break, because that depends on each of them alone.
    private func checkForm() {
        _ = parsedLeaf.brokenRules(asLeaf: true)
        for issuer in parsedIssuers { _ = issuer.brokenRules(asLeaf: false) }
    }

    /// The server's own certificate.
    public var leaf: CertificateSummary { parsedLeaf.summary }
    /// The other certificates that can be read, in the order in which they came; at most 256.
    public var issuers: [CertificateSummary] { parsedIssuers.map(\.summary) }
}
