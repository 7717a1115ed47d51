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

    /// Evidence; without arguments, none.
    public init(
        issuers: [Certificate] = [], revocation: RevocationEvidence = RevocationEvidence(),
        remembered: RememberedServer? = nil
    ) {
        self.issuers = issuers
        self.revocation = revocation
        self.remembered = remembered
    }

    var parsedIssuers: [ParsedCertificate] { issuers.map(ParsedCertificate.init) }
}
