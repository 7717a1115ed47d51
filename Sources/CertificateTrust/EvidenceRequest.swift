// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Something to fetch and hand over with another evaluation.
@nonexhaustive
public enum EvidenceRequest: Hashable, Sendable, Codable {
    /// The certificate of the issuer, as DER or as a bundle of certificates (RFC 5280 section 4.2.2.1).
    case issuer(of: CertificateSummary, at: [String])
}
