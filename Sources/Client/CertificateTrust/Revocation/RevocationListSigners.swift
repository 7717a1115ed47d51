// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Finds who may sign revocation lists beside the issuer of a certificate: its other keys, and the issuers of indirect lists.
protocol RevocationListSigners {
    /// The certificates with a name, whose key usage allows lists, and that an authority above the subject has signed.
    ///
    /// - Parameters:
    ///   - name: The issuer of the list.
    ///   - key: The identifier of the key that signed the list, where the list says so.
    ///   - subject: The certificate that is asked about.
    ///   - budget: Counts the signatures that are checked.
    /// - Returns: The candidates, those first that have the key.
    /// - Throws: ``RevocationProblem/budgetExhausted``.
    mutating func candidates(
        named name: NameKey, key: ArraySlice<UInt8>?, for subject: RevocationSubject, budget: inout SignatureBudget
    ) throws(RevocationProblem) -> [ParsedCertificate]

    /// Whether a candidate has a path to the anchor of the path that is checked, without the subject (RFC 5280 section 6.3.3 step f).
    ///
    /// - Parameters:
    ///   - candidate: The signer.
    ///   - subject: The certificate that is asked about.
    ///   - toRevoke: Whether the signer is only to show that the subject is revoked: then its certificate may have expired, and it is
    ///     enough that nothing shows the signer itself revoked.
    /// - Returns: Whether the candidate may sign.
    /// - Throws: ``RevocationProblem/budgetExhausted``.
    mutating func isTrusted(
        _ candidate: ParsedCertificate, for subject: RevocationSubject, toRevoke: Bool
    ) throws(RevocationProblem) -> Bool
}

/// Where the issuer alone signs its lists.
struct IssuerAlone: RevocationListSigners {
    func candidates(
        named name: NameKey, key: ArraySlice<UInt8>?, for subject: RevocationSubject, budget: inout SignatureBudget
    ) -> [ParsedCertificate] { [] }
    func isTrusted(_ candidate: ParsedCertificate, for subject: RevocationSubject, toRevoke: Bool) -> Bool { false }
}
