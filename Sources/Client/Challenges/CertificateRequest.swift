// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
public import Identities
public import X509

/// A server's request for a client certificate (RFC 8446 section 4.3.2, RFC 5246 section 7.4.4).
public struct CertificateRequest: Hashable, Sendable {
    /// The names of roots or intermediates that the certificate may lead to, in the server's order.
    ///
    /// Empty where the server named none, so that every issuer is acceptable; `nil` where the names are not known, as in a renegotiation of
    /// TLS 1.2.
    public let acceptableIssuers: [DistinguishedName]?

    /// Makes a request from the names of issuers, in the server's order; `nil` where they are not known.
    public init(acceptableIssuers: [DistinguishedName]?) {
        self.acceptableIssuers = acceptableIssuers
    }

    /// Returns whether a certificate of an identity's chain was issued by one of the acceptable issuers.
    ///
    /// Names are compared without regard to case, to superfluous spaces, and to how text is encoded (RFC 5280 section 7.1).
    /// A server may accept an identity all the same if its chain leaves out an intermediate that the server has.
    ///
    /// - Returns: `true` also where the server named no issuers, and where the names are not known.
    public func isMet(by identity: Identity) -> Bool {
        guard let acceptableIssuers, !acceptableIssuers.isEmpty else { return true }
        let issuers = Set(identity.chain.map { NameKey($0.issuer) })
        return acceptableIssuers.contains { issuers.contains(NameKey($0)) }
    }
}
