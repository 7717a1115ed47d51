// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import SwiftASN1
import X509

extension OCSPResponse {
    /// The statements about a certificate, and the fault for which none of them shows that it is good; `nil` where nothing in it is about
    /// the certificate.
    func statements(
        about subject: RevocationSubject, nonce: [UInt8]?, responders: DelegatedResponders, at time: Date,
        budget: inout SignatureBudget
    ) throws(RevocationProblem) -> (statements: [RevocationStatement], fault: RevocationProblem?)? {
        switch content {
        case .refused(let refusal): throw .responderRefused(refusal)
        case .basic(let basic):
            try basic.statements(about: subject, nonce: nonce, responders: responders, at: time, budget: &budget)
        }
    }
}

/// The checks of a response (RFC 6960 section 3.2).
extension BasicOCSPResponse {
    /// - Returns: The statements about the certificate, and the fault for which none of them shows that it is good; `nil` where nothing in
    ///   it is about the certificate.
    fileprivate func statements(
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

/// The certificates that make someone else a responder for an issuer (RFC 6960 section 4.2.2.2).
///
/// Nothing is fetched to learn whether one is revoked: issuers give such certificates a short life instead
/// (id-pkix-ocsp-nocheck, RFC 6960 section 4.2.2.2.1). A list that is at hand counts.
struct DelegatedResponders {
    private static let smallestRSAKey = 2048
    private static let processed: Set<UInt8> = [
        ExtensionNumber.basicConstraints, ExtensionNumber.keyUsage, ExtensionNumber.extendedKeyUsage,
        ExtensionNumber.alternativeNames,
    ]

    let issuer: ParsedCertificate
    let time: Date
    let lists: [CertificateRevocationList]
    let distrusted: Distrust
    let evaluation: EvaluationBudget

    /// - Returns: ``RevocationProblem/outdated`` for a certificate that has expired since: it still shows that the responder was one.
    func check(
        _ certificate: ParsedCertificate, budget: inout SignatureBudget
    ) throws(RevocationProblem) -> RevocationProblem? {
        guard certificate.issuer == issuer.subject, Self.isAllowed(certificate), !distrusted.contains(certificate)
        else {
            throw .signerNotAuthorized
        }
        guard certificate.notBefore <= time else { throw .notYetValid }
        if let unknown = certificate.encoded.extensions.first(where: { $0.isCritical && !Self.isProcessed($0) }) {
            throw .unknownCriticalExtension(unknown.name)
        }
        guard certificate.algorithm.weakness == nil else { throw .weakSignature }
        if let size = certificate.rsaSize, size < Self.smallestRSAKey { throw .weakSignature }
        try budget.spend()
        guard certificate.isSigned(by: issuer) else { throw .signerNotAuthorized }
        try checkLists(certificate)
        return time < certificate.notAfter + 1 ? nil : .outdated
    }

    private func checkLists(_ certificate: ParsedCertificate) throws(RevocationProblem) {
        guard !lists.isEmpty, let subject = try? RevocationSubject(certificate, issuer: issuer) else { return }
        var signers = IssuerAlone()
        let listed = ListedStatus(subject: subject, time: time, evaluation: evaluation).statements(
            in: lists, signers: &signers)
        switch listed.statements.status {
        case .revoked: throw .signerNotAuthorized
        // A server could use the budget up, so that what the responder says is not heard.
        case .unusable(.budgetExhausted): throw .budgetExhausted
        case .good, .absent, .unusable: return
        }
    }

    /// The purpose by its name: any purpose is none here.
    private static func isAllowed(_ certificate: ParsedCertificate) -> Bool {
        guard certificate.extendedKeyUsage.value?.contains(.ocspSigning) == true else { return false }
        return !certificate.keyUsage.isPresent || certificate.keyUsage.value?.digitalSignature == true
    }

    private static func isProcessed(_ one: EncodedExtension) -> Bool {
        one.number.map(processed.contains) ?? one.identifier.dropFirst(2).elementsEqual(ExtensionNumber.noCheck)
    }
}
