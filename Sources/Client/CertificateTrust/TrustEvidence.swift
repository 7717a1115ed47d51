// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509

/// Evidence from the network, which an evaluation may need, and which the caller fetches (``Verdict/wanted``).
public struct TrustEvidence: Sendable {
    /// Certificates of issuers that the server did not send, in any order.
    public var issuers: [Certificate]
    /// The revocation lists and OCSP responses.
    public var revocation: RevocationEvidence
    /// The remembered key of the server, for ``TrustPolicy/Validation/firstUse``; `nil` where it was never seen.
    public var remembered: RememberedServer?
    /// The signed certificate timestamps that the server sent in the TLS extension `signed_certificate_timestamp` (RFC 6962 section 3.3.1).
    ///
    /// `Countersign`'s session cannot have them, because NIOSSL does not ask a server for them.
    public var timestamps: TimestampList?

    /// Makes evidence; without arguments, it is empty.
    public init(
        issuers: [Certificate] = [], revocation: RevocationEvidence = RevocationEvidence(),
        remembered: RememberedServer? = nil, timestamps: TimestampList? = nil
    ) {
        self.issuers = issuers
        self.revocation = revocation
        self.remembered = remembered
        self.timestamps = timestamps
    }

    var parsedIssuers: [ParsedCertificate] { issuers.map(ParsedCertificate.init) }
}
