// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509

/// A certificate authority whose key is in memory.
public struct CertificateAuthority: Sendable {
    /// The authority's own certificate.
    public let certificate: Certificate
}
