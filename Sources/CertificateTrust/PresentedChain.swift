// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509

/// The certificates that a server presented.
public struct PresentedChain: Hashable, Sendable {
    /// The server's own certificate.
    public let leaf: Certificate
    /// The others, in the order in which they came.
    public let issuers: ArraySlice<Certificate>

    /// - Parameter certificates: Leaf first, the others in any order; empty gives `nil`.
    public init?(_ certificates: [Certificate]) {
        guard let leaf = certificates.first else { return nil }
        self.leaf = leaf
        issuers = certificates.dropFirst()
    }
}
