// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Whether lists show that a certificate is revoked (RFC 5280 section 6.3.3).
struct ListedStatus {
    /// What one list says of the certificate.
    private enum Finding {
        case listed(RevocationStatus)
        /// Not revoked for these reasons.
        case absent(RevocationReasons, until: Date)
    }

    let subject: RevocationSubject
    let time: Date

    /// Asks every list; several that cover some reasons each are as good as one that covers all.
    func status(
        in lists: [CertificateRevocationList], signers: inout some RevocationListSigners, budget: inout SignatureBudget
    ) -> RevocationStatus {
        var status = RevocationStatus.absent
        var (covered, coveredUntil) = (RevocationReasons(), Date.distantFuture)
        let deltas = lists.filter(\.isDelta)
        for list in lists {
            do throws(RevocationProblem) {
                switch try finding(in: list, deltas, &signers, &budget) {
                case .listed(let found): status = status.combined(with: found)
                case .absent(.all, let until): status = status.combined(with: .good(until: until))
                case .absent(let reasons, let until):
                    covered.formUnion(reasons)
                    coveredUntil = min(coveredUntil, until)
                    status = status.combined(with: .unusable(.partialList))
                case nil: break
                }
            } catch {
                status = status.combined(with: .unusable(error))
            }
        }
        return covered == .all ? status.combined(with: .good(until: coveredUntil)) : status
    }

    /// - Returns: `nil` where the list is another issuer's, or was applied to the list that it is a delta of.
    private func finding(
        in list: CertificateRevocationList, _ deltas: [CertificateRevocationList],
        _ signers: inout some RevocationListSigners,
        _ budget: inout SignatureBudget
    ) throws(RevocationProblem) -> Finding? {
        guard let reasons = try list.reasons(for: subject) else { return nil }
        guard !list.isDelta else { throw .deltaList }
        var until = try list.check(at: time)
        let key = try signingKey(of: list, &signers, &budget)
        var entry = try entry(in: list)
        for delta in deltas where list.isBase(of: delta) {
            // One that cannot be used takes nothing away from the list.
            guard let end = try? delta.check(at: time),
                (try? delta.signed.checkSignature(by: key, budget: &budget)) != nil
            else { continue }
            until = min(until, end)
            guard let change = try self.entry(in: delta) else { continue }
            entry = change.isRemoval ? nil : change
        }
        return entry.map { .listed(.revoked(at: $0.revocationDate, reason: $0.reason)) }
            ?? .absent(reasons, until: until)
    }

    private func entry(in list: CertificateRevocationList) throws(RevocationProblem) -> RevokedEntry? {
        do {
            return try list.entries.entry(
                for: subject.serialNumber, of: NameKey(subject.certificate.issuer), listedBy: NameKey(list.issuer))
        } catch {
            throw .malformed
        }
    }

    /// The key of the certificate's issuer, or of another certificate that may sign the list (steps f and g).
    private func signingKey(
        of list: CertificateRevocationList, _ signers: inout some RevocationListSigners, _ budget: inout SignatureBudget
    ) throws(RevocationProblem) -> Certificate.PublicKey {
        var problem = RevocationProblem.signerNotAuthorized
        let issuer = NameKey(list.issuer)
        if issuer == NameKey(subject.issuer.subject) {
            do throws(RevocationProblem) {
                return try signingKey(of: list, subject.issuer, &budget)
            } catch {
                problem = error
            }
        }
        for signer in signers.candidates(named: issuer, key: list.signingKey) where signer != subject.issuer {
            do throws(RevocationProblem) {
                let key = try signingKey(of: list, signer, &budget)
                guard signers.isTrusted(signer) else { throw .signerNotAuthorized }
                return key
            } catch {
                problem = error
            }
        }
        throw problem
    }

    private func signingKey(
        of list: CertificateRevocationList, _ signer: Certificate, _ budget: inout SignatureBudget
    ) throws(RevocationProblem) -> Certificate.PublicKey {
        // A key usage, where there is one, allows lists.
        let keyUsage = signer.extensions[oid: .X509ExtensionID.keyUsage].map { try? KeyUsage($0) }
        if let keyUsage, keyUsage?.cRLSign != true { throw .signerNotAuthorized }
        try list.signed.checkSignature(by: signer.publicKey, budget: &budget)
        return signer.publicKey
    }
}
