// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509

/// An issued certificate with the chains that the authority gave for it.
public struct IssuedChain: Hashable, Sendable {
    /// The certificate and its issuers, leaf first; never empty.
    public let chain: [Certificate]
    /// Other chains for the same key and names, leaf first, which end at other anchors: eight at most (RFC 8555 section 7.4.2).
    public let alternates: [[Certificate]]
    /// The issued certificate, which is the first one of the chain.
    public let certificate: Certificate
}
