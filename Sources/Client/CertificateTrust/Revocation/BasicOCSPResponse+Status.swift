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
    /// - Returns: The statements about the certificate, and the fault for which none of them shows that it is good; `nil` where nothing in
    ///   it is about the certificate.
    func statements(
        about subject: RevocationSubject, nonce: [UInt8]?, responders: DelegatedResponders, at time: Date,
        budget: inout SignatureBudget
    ) throws(RevocationProblem) -> (statements: [RevocationStatement], fault: RevocationProblem?)? {
        let answers = answers.filter { OCSPCertificateID.isEqual($0.certificateID, to: subject) }
        guard !answers.isEmpty else { return nil }
        let issued = answers.filter { RevocationDates.isPast($0.thisUpdate, at: time) }
        guard !issued.isEmpty else { throw .notYetValid }
        let signerFault = try authenticate(subject, responders, budget: &budget)
        let hasFuture = issued.count < answers.count || !RevocationDates.isPast(producedAt, at: time)
        let fault = hasFuture ? .notYetValid : fault(nonce) ?? signerFault
        let faults = issued.map { fault ?? $0.fault(at: time) }
        return (zip(issued, faults).map { $0.statement(in: $1) }, faults.compactMap(\.self).first)
    }

    private func fault(_ nonce: [UInt8]?) -> RevocationProblem? {
        if !isFormal { return .malformed }
        return extensions.unknownCritical ?? nonce.flatMap(nonceFault)
    }

    /// A response without a nonce was made beforehand (RFC 9654 section 2.1); one with another answers someone else.
    private func nonceFault(_ sent: [UInt8]) -> RevocationProblem? {
        guard let one = extensions.first(where: { OCSPIdentifiers.isEqual($0.identifier, OCSPIdentifiers.nonce) })
        else { return nil }
        guard let received = try? OCSPNonce.read(one.value), received.elementsEqual(sent) else { return .nonceMismatch }
        return nil
    }

    /// Signed by the issuer, or by someone whom the issuer made a responder (RFC 6960 section 4.2.2.2).
    ///
    /// - Returns: The fault of the signer or the signature that leaves only the power to show that a certificate is revoked.
    private func authenticate(
        _ subject: RevocationSubject, _ responders: DelegatedResponders, budget: inout SignatureBudget
    ) throws(RevocationProblem) -> RevocationProblem? {
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
                let fault = try responders.check(certificate, budget: &budget)
                return try signed.checkSignature(by: certificate, budget: &budget) ?? fault
            } catch {
                problem = error
                if error == .budgetExhausted { break }
            }
        }
        throw problem
    }
}

extension OCSPAnswer {
    fileprivate func fault(at time: Date) -> RevocationProblem? {
        if !isFormal { return .malformed }
        return extensions.unknownCritical ?? (until < time ? .outdated : nil)
    }

    /// The statement, once it is known to be the responder's.
    fileprivate func statement(in fault: RevocationProblem?) -> RevocationStatement {
        let status: RevocationStatus =
            switch status {
            case .good: fault.map(RevocationStatus.unusable) ?? .good(until: until)
            case .revoked(let time, let reason): .revoked(at: time ?? thisUpdate, reason: reason)
            case .unknown: .unusable(fault ?? .unknownToResponder)
            }
        return RevocationStatement(status: status, issued: thisUpdate)
    }
}

extension [EncodedExtension] {
    /// The first critical extension of a response that is not supported.
    fileprivate var unknownCritical: RevocationProblem? {
        let processed = [OCSPIdentifiers.nonce, OCSPIdentifiers.extendedRevoke]
        let unknown = first { one in
            one.isCritical && !processed.contains { OCSPIdentifiers.isEqual(one.identifier, $0) }
        }
        return unknown.map { .unknownCriticalExtension($0.name) }
    }
}
