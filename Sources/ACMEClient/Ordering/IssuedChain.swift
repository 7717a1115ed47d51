// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509

/// A certificate as the authority gave it.
public struct IssuedChain: Hashable, Sendable {
    /// The certificate and its issuers, leaf first.
    public let chain: [Certificate]
    /// Other chains for the same certificate, which end at other anchors (RFC 8555 section 7.4.2).
    public let alternates: [[Certificate]]
    /// The issued certificate.
    public let certificate: Certificate
}
