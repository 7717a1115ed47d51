// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The checks of a complete list (RFC 5280 section 6.3.3).
extension CertificateRevocationList {
    private enum Number {
        static let listNumber: UInt8 = 20
        static let deltaIndicator: UInt8 = 27
        static let issuingDistributionPoint: UInt8 = 28
        static let authorityKeyIdentifier: UInt8 = 35
    }

    /// - Returns: Good or revoked; `nil` where the list is another issuer's.
    func status(
        of subject: RevocationSubject, at time: Date, budget: inout SignatureBudget
    ) throws(RevocationProblem) -> RevocationStatus? {
        let name = NameKey(issuer)
        guard name == NameKey(subject.certificate.issuer), name == NameKey(subject.issuer.subject) else { return nil }
        try checkKind()
        let until = try checkDates(at: time)
        try checkScope(subject)
        try checkSigner(subject.issuer)
        try signed.checkSignature(by: subject.issuer.publicKey, budget: &budget)
        do {
            guard let entry = try entries.entry(for: subject.serialNumber) else { return .good(until: until) }
            return .revoked(at: entry.revocationDate, reason: entry.reason)
        } catch {
            throw .malformed
        }
    }

    private func value(_ number: UInt8) -> EncodedExtension? {
        extensions.first { $0.number == number }
    }

    /// Refuses by its name what is not a complete list of the issuer's own.
    private func checkKind() throws(RevocationProblem) {
        guard value(Number.deltaIndicator) == nil else { throw .deltaList }
        guard !entries.isIndirect else { throw .indirectList }
        guard !entries.hasRemovals else { throw .malformed }
        let processed = [Number.listNumber, Number.issuingDistributionPoint, Number.authorityKeyIdentifier]
        if let unknown = extensions.first(where: { $0.isCritical && !($0.number.map(processed.contains) ?? false) }) {
            throw .unknownCriticalExtension(unknown.name)
        }
        if let unknown = entries.unknownCriticalExtension { throw .unknownCriticalExtension(unknown) }
        if isVersion2 { try checkNumber() }
    }

    /// There, not critical, positive, and of at most 20 octets (section 5.2.3).
    private func checkNumber() throws(RevocationProblem) {
        guard let number = value(Number.listNumber), !number.isCritical else { throw .listNumber }
        var reader = DERReader(number.value)
        guard let content = try? reader.takeInteger(DERTag.integer, .extensions), reader.rest.isEmpty,
            content.count <= 20, let first = content.first, first < 0x80
        else { throw .listNumber }
    }

    private func checkDates(at time: Date) throws(RevocationProblem) -> Date {
        guard let nextUpdate else { throw .noNextUpdate }
        try RevocationDates.check(thisUpdate: thisUpdate, until: nextUpdate, at: time)
        return nextUpdate
    }

    private func checkScope(_ subject: RevocationSubject) throws(RevocationProblem) {
        guard let encoded = value(Number.issuingDistributionPoint) else { return }
        guard let point = try? IssuingDistributionPoint(encoded.value) else { throw .malformed }
        try point.check(subject)
    }

    /// A key usage, where there is one, allows lists (section 6.3.3 step f).
    private func checkSigner(_ issuer: Certificate) throws(RevocationProblem) {
        guard let keyUsage = try? issuer.extensions.keyUsage else {
            guard issuer.extensions[oid: .X509ExtensionID.keyUsage] == nil else { throw .signerNotAuthorized }
            return
        }
        guard keyUsage.cRLSign else { throw .signerNotAuthorized }
    }
}
