// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import SwiftASN1
import X509

extension OCSPResponse {
    /// Returns the statements about a certificate, and the fault that prevents them from showing that the certificate
    /// is good; `nil` if the response contains no statements about it.
    func statements(
        about subject: RevocationSubject, nonce: [UInt8]?, responders: DelegatedResponders, at time: Date,
        budget: inout SignatureBudget
    ) throws(RevocationProblem) -> (statements: [RevocationStatement], fault: RevocationProblem?)? {
        switch content {
        case .unreadable: throw .malformed
        case .refused(let refusal): throw .responderRefused(refusal)
        case .basic(let basic):
            try basic.statements(about: subject, nonce: nonce, responders: responders, at: time, budget: &budget)
        }
    }

    /// Returns the difference between the certificates of a response without statements and the requested certificate.
    func mismatch(with subject: RevocationSubject) -> RevocationProblem {
        guard case .basic(let basic) = content else { return .malformed }
        let isOwnIssuer = basic.answers.contains { OCSPCertificateID.isOfIssuer($0.certificateID, of: subject) }
        return isOwnIssuer || basic.answers.isEmpty ? .otherCertificate : .otherIssuer
    }
}

/// The checks of a response (RFC 6960 section 3.2).
extension BasicOCSPResponse {
    /// - Returns: The statements about the certificate, and the fault that prevents them from showing that the
    ///   certificate is good; `nil` if there are no statements about it.
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
        if !isConforming { return .malformed }
        return extensions.unknownCritical ?? nonce.flatMap(nonceFault)
    }

    /// Returns the fault of a wrong nonce; a missing one is accepted, because the response may be pre-produced (RFC
    /// 9654 section 2.1).
    private func nonceFault(_ sent: [UInt8]) -> RevocationProblem? {
        guard let one = extensions.first(where: { OCSPIdentifiers.isEqual($0.identifier, OCSPIdentifiers.nonce) })
        else { return nil }
        guard let received = try? OCSPNonce.read(one.value), received.elementsEqual(sent) else { return .nonceMismatch }
        return nil
    }

    /// Checks that the issuer or its delegated responder signed the response (RFC 6960 section 4.2.2.2).
    ///
    /// - Returns: The fault because of which the response can show
    ///   only that a certificate is revoked; `nil` for none.
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
                !certificate.hasSameKey(as: issuer),
                // The holder of a stolen key must not be able to confirm its own certificate as good.
                !certificate.hasSameKey(as: subject.certificate), responder.isFor(certificate)
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
        if !isConforming { return .malformed }
        return extensions.unknownCritical ?? (until < time ? .outdated : nil)
    }

    /// Returns the statement of an answer whose signature was verified.
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
    /// The problem of the first critical extension that is not supported; `nil` if there is none.
    fileprivate var unknownCritical: RevocationProblem? {
        let processed = [OCSPIdentifiers.nonce, OCSPIdentifiers.extendedRevoke]
        let unknown = first { one in
            one.isCritical && !processed.contains { OCSPIdentifiers.isEqual(one.identifier, $0) }
        }
        return unknown.map { .unknownCriticalExtension($0.name) }
    }
}

/// The check of certificates that delegate responses to another signer (RFC 6960 section 4.2.2.2).
///
/// No revocation evidence is fetched for them, because issuers give such certificates a short lifetime instead
/// (id-pkix-ocsp-nocheck, RFC 6960 section 4.2.2.2.1). Lists that are already available are used.
struct DelegatedResponders {
    private static let processed: Set<UInt8> = [
        ExtensionNumber.basicConstraints, ExtensionNumber.keyUsage, ExtensionNumber.extendedKeyUsage,
        ExtensionNumber.alternativeNames,
    ]

    let issuer: ParsedCertificate
    let time: Date
    let lists: [CertificateRevocationList]
    let distrusted: Distrust
    let evaluation: EvaluationBudget

    /// Checks a certificate, whose extended key usage must name OCSP signing explicitly; anyExtendedKeyUsage does not
    /// suffice.
    ///
    /// - Returns: ``RevocationProblem/responderExpired`` if the certificate has expired, and
    ///   ``RevocationProblem/weakSignature`` if it is weak; it still shows that the signer was a responder.
    func check(
        _ certificate: ParsedCertificate, budget: inout SignatureBudget
    ) throws(RevocationProblem) -> RevocationProblem? {
        guard certificate.issuer == issuer.subject else { throw .responderIssuer }
        guard !distrusted.contains(certificate) else { throw .responderRevoked }
        guard certificate.extendedKeyUsage.value?.contains(.ocspSigning) == true else { throw .responderPurpose }
        guard !certificate.keyUsage.isPresent || certificate.keyUsage.value?.digitalSignature == true else {
            throw .signerNotAuthorized
        }
        guard certificate.notBefore <= time else { throw .notYetValid }
        if let unknown = certificate.encoded.extensions.first(where: { $0.isCritical && !Self.isProcessed($0) }) {
            throw .unknownCriticalExtension(unknown.name)
        }
        let isStrong = budget.accepts(certificate.algorithm) && budget.acceptsKey(of: certificate)
        guard certificate.algorithm.limitation == nil else { throw .unsupportedAlgorithm }
        try budget.spend()
        guard certificate.isSigned(by: issuer) else { throw .responderIssuer }
        try checkLists(certificate)
        guard isStrong else { return .weakSignature }
        return time < certificate.notAfter + 1 ? nil : .responderExpired
    }

    private func checkLists(_ certificate: ParsedCertificate) throws(RevocationProblem) {
        guard !lists.isEmpty, let subject = try? RevocationSubject(certificate, issuer: issuer) else { return }
        var signers = NoFurtherSigners()
        let listed = ListedStatus(subject: subject, time: time, evaluation: evaluation).statements(
            in: lists, signers: &signers)
        switch listed.statements.status {
        case .revoked: throw .responderRevoked
        // A server could exhaust the budget to prevent the responder's answer from being used.
        case .unusable(.budgetExhausted): throw .budgetExhausted
        case .good, .absent, .unusable: return
        }
    }

    private static func isProcessed(_ one: EncodedExtension) -> Bool {
        one.number.map(processed.contains) ?? one.identifier.dropFirst(2).elementsEqual(ExtensionNumber.noCheck)
    }
}
