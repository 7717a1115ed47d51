// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509

/// What an evaluation may need from outside: the caller fetches it and passes it in.
public struct TrustEvidence: Sendable {
    /// Certificates that the server did not send.
    public var issuers: [Certificate]
    /// What revocation lists and OCSP responders say.
    public var revocation: RevocationEvidence
    /// What is remembered of the server, for ``TrustPolicy/Validation/firstUse``.
    public var remembered: RememberedServer?
    /// The signed certificate timestamps that the server sent in the TLS extension `signed_certificate_timestamp` (RFC 6962 section 3.3.1).
    ///
    /// `Countersign`'s session cannot have them, because NIOSSL does not ask a server for them.
    public var timestamps: TimestampList?

    /// Evidence; without arguments, none.
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
