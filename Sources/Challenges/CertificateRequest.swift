// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
public import Identities
public import X509

/// What a server says of the client certificate that it asks for (RFC 8446 section 4.3.2, RFC 5246 section 7.4.4).
public struct CertificateRequest: Hashable, Sendable {
    /// The names of roots or intermediates that the certificate may lead to, in the server's order.
    ///
    /// Empty where the server named none, so that any will do; `nil` where it is not known what it named, as in a
    /// renegotiation of TLS 1.2.
    public let acceptableIssuers: [DistinguishedName]?

    /// A request, as a session finds it in the handshake.
    public init(acceptableIssuers: [DistinguishedName]?) {
        self.acceptableIssuers = acceptableIssuers
    }

    /// Says whether a certificate of an identity's chain was issued by one of the acceptable issuers.
    ///
    /// Names are compared without regard to case, to superfluous spaces, and to how text is encoded (RFC 5280 section 7.1).
    /// A chain that leaves out an intermediate may be good to the server all the same.
    ///
    /// - Returns: `true` also where the server named none, and where it is not known what it named.
    public func isMet(by identity: Identity) -> Bool {
        guard let acceptableIssuers, !acceptableIssuers.isEmpty else { return true }
        let issuers = Set(identity.chain.map { NameKey($0.issuer) })
        return acceptableIssuers.contains { issuers.contains(NameKey($0)) }
    }
}
