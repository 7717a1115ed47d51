// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The checks of a response (RFC 6960 section 3.2).
extension BasicOCSPResponse {
    /// - Returns: Good or revoked; `nil` where nothing in it is about the certificate.
    func status(
        of subject: RevocationSubject, nonce: [UInt8]?, responders: DelegatedResponders, at time: Date,
        budget: inout SignatureBudget
    ) throws(RevocationProblem) -> RevocationStatus? {
        let answers = answers.filter { OCSPCertificateID.isEqual($0.certificateID, to: subject) }
        guard !answers.isEmpty else { return nil }
        try checkExtensions(extensions)
        for answer in answers { try checkExtensions(answer.extensions) }
        if let nonce { try checkNonce(nonce) }
        try RevocationDates.checkIssued(producedAt, at: time)
        for answer in answers {
            try RevocationDates.check(thisUpdate: answer.thisUpdate, until: answer.until, at: time)
        }
        try authenticate(subject, responders, budget: &budget)
        return answers.map(\.verdict).reduce(.absent) { $0.combined(with: $1) }
    }

    private func checkExtensions(_ extensions: [EncodedExtension]) throws(RevocationProblem) {
        let processed = [OCSPIdentifiers.nonce, OCSPIdentifiers.extendedRevoke]
        for one in extensions where one.isCritical {
            guard processed.contains(where: { OCSPIdentifiers.isEqual(one.identifier, $0) }) else {
                throw .unknownCriticalExtension(one.name)
            }
        }
    }

    /// A response without a nonce was made beforehand (RFC 9654 section 2.1); one with another answers someone else.
    private func checkNonce(_ sent: [UInt8]) throws(RevocationProblem) {
        guard let one = extensions.first(where: { OCSPIdentifiers.isEqual($0.identifier, OCSPIdentifiers.nonce) })
        else {
            return
        }
        guard let received = try? OCSPNonce.read(one.value), received.elementsEqual(sent) else {
            throw .nonceMismatch
        }
    }

    /// Signed by the issuer, or by someone whom the issuer made a responder (RFC 6960 section 4.2.2.2).
    private func authenticate(
        _ subject: RevocationSubject, _ responders: DelegatedResponders, budget: inout SignatureBudget
    ) throws(RevocationProblem) {
        let issuer = subject.issuer
        var problem = RevocationProblem.signerNotAuthorized
        if responder.isFor(issuer) {
            do {
                return try signed.checkSignature(by: issuer, budget: &budget)
            } catch {
                problem = error
            }
        }
        for bytes in certificates {
            guard let certificate = try? ParsedCertificate(derEncoded: Array(bytes)),
                certificate.key?.typed != issuer.key?.typed,
                // A stolen key must not answer that its own certificate is good.
                certificate.key?.typed != subject.certificate.key?.typed, responder.isFor(certificate)
            else { continue }
            do {
                try responders.check(certificate, budget: &budget)
                return try signed.checkSignature(by: certificate, budget: &budget)
            } catch {
                problem = error
                if error == .budgetExhausted { break }
            }
        }
        throw problem
    }
}

extension OCSPAnswer {
    /// What it says, once it is known to be the responder's.
    fileprivate var verdict: RevocationStatus {
        switch status {
        case .good: .good(until: until)
        case .revoked(let time, let reason): .revoked(at: time, reason: reason)
        case .unknown: .unusable(.unknownToResponder)
        }
    }
}
