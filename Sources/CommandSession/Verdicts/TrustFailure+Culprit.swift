// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust

extension TrustFailure {
    /// The certificate that the check failed on; `nil` where it is about names or keys as a whole.
    package var culprit: CertificateSummary? {
        switch self {
        case .selfSigned(let certificate), .unknownRoot(let certificate), .issuerNotFound(let certificate),
            .expired(let certificate, _), .notYetValid(let certificate, _), .noSubjectAlternativeNames(let certificate),
            .badSignature(let certificate, _), .notAnAuthority(let certificate), .pathTooLong(let certificate, _, _),
            .keyUsage(let certificate, _, _), .extendedKeyUsage(let certificate, _, _),
            .nameConstraints(let certificate, _, _, _), .noValidPolicy(let certificate),
            .unknownCriticalExtension(let certificate, _), .malformedExtension(let certificate, _),
            .weakSignature(let certificate, _), .weakKey(let certificate, _), .nonconforming(let certificate, _),
            .revoked(let certificate, _, _), .revocationUnknown(let certificate, _), .distrusted(let certificate):
            certificate
        case .hostMismatch, .pinMismatch, .changed, .budgetExhausted: nil
        }
    }
}
