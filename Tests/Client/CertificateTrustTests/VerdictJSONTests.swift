// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Foundation
import Testing
import TrustRecipes

@testable import CertificateTrust

@Suite("Verdicts are encoded as readable JSON and decoded") struct VerdictJSONTests {
    private static func failures(of chain: TestChain) throws -> [TrustFailure] {
        let leaf = CertificateSummary(chain.leaf.certificate)
        let root = CertificateSummary(chain.root.certificate)
        let pin = leaf.publicKeyPin
        let problems: [RevocationProblem?] = [
            nil, .malformed, .badSignature, .weakSignature, .unsupportedAlgorithm, .signerNotAuthorized, .notYetValid,
            .outdated, .noNextUpdate, .deltaList, .partialList, .attributeList, .wrongScope, .listNumber,
            .unknownCriticalExtension("1.2"), .nonceMismatch, .otherCertificate, .unknownToResponder,
            .responderRefused(.tryLater), .budgetExhausted,
        ]
        return [
            .selfSigned(leaf), .unknownRoot(root), .issuerNotFound(of: leaf), .expired(leaf, at: Instant.now),
            .notYetValid(leaf, at: Instant.now), .hostMismatch(host: "a", presented: ["b"]),
            .noSubjectAlternativeNames(leaf),
            .pinMismatch(pins: [pin], presented: [root.publicKeyPin]),
            .changed(RememberedServer(key: pin, since: Instant.now), presented: root.publicKeyPin),
            .badSignature(leaf, issuer: root), .notAnAuthority(root), .pathTooLong(root, allowed: 0, found: 1),
            .keyUsage(root, needed: ["keyCertSign"], found: []),
            .extendedKeyUsage(leaf, needed: ["serverAuth"], found: ["a"]),
            .nameConstraints(leaf, name: "a", authority: root, constraint: "b"),
            .noValidPolicy(leaf, .notAllowed(found: [], allowed: Self.policies), requiredBy: root),
            .noValidPolicy(leaf, .notAccepted(found: Self.policies, acceptable: []), requiredBy: nil),
            .unknownCriticalExtension(leaf, "1.2"), .malformedExtension(leaf, "1.2"), .weakSignature(leaf, "SHA-1"),
            .weakKey(leaf, bits: 1024), .revoked(leaf, at: Instant.now, reason: .keyCompromise),
            .budgetExhausted(.nameComparisons, allowed: 1, met: 2),
        ] + TrustFailure.examples + problems.map { .revocationUnknown(leaf, $0) }
            + problems.compactMap(\.self).map { .badStaple(leaf, $0) }
            + TrustFailure.Rule.allCases.map { .nonconforming(leaf, $0) }
    }

    private static let policies = [
        .any, CertificatePolicyIdentifier("1.3.9.1", name: "Gold"), CertificatePolicyIdentifier("2.999.3"),
        CertificatePolicyIdentifier(encoded: [0x2A] + [UInt8](repeating: 0xFF, count: 12) + [0x01]),
    ].compactMap(\.self)

    @Test("Every failure is decoded, and none has a synthesized key") func failures() throws {
        for failure in try Self.failures(of: TestChain()) {
            let data = try JSONEncoder().encode(failure)
            #expect(try JSONDecoder().decode(TrustFailure.self, from: data) == failure)
            let text = String(decoding: data, as: UTF8.self)
            #expect(!text.contains("\"_0\"") && text.contains("\"code\":\"\(failure.code)\""))
        }
    }

    @Test("Every remark is decoded") func remarks() throws {
        let leaf = CertificateSummary(try TestChain().leaf.certificate)
        let server = RememberedServer(key: leaf.publicKeyPin, since: Instant.now)
        let remarks: [Verdict.Remark] = [
            .pinsExpired(on: Instant.now), .backupPinInUse(leaf.publicKeyPin),
            .pinMismatchReported(pins: [leaf.publicKeyPin], presented: []), .notRevoked(leaf, until: Instant.now),
            .revocationUnknown(leaf, nil), .revocationUnknown(leaf, .outdated), .stapled(leaf),
            .stapleFetched(leaf), .seenFirst(server), .firstUse(server), .knownSince(server),
            .logListOutdated(Instant.now), .weakSignatureAccepted(leaf, "SHA-1"), .weakKeyAccepted(leaf, bits: 1024),
            .weakEvidenceAccepted(leaf),
        ]
        for remark in remarks {
            let record = try JSONDecoder().decode(
                RemarkRecord.self, from: JSONEncoder().encode(RemarkRecord(remark)))
            #expect(try record.remark(with: CertificateList([leaf])) == remark)
        }
        #expect(Set(remarks.map(\.code)).count == 14)
    }

    @Test("An encoded verdict contains each certificate once") func certificates() throws {
        let verdict = try TestChain().verdict(for: "b.test")
        let text = String(decoding: try JSONEncoder().encode(verdict), as: UTF8.self)
        #expect(text.components(separatedBy: "\"serialNumber\"").count - 1 == verdict.certificates.all.count)
    }

    @Test("A record without a certificate, a value or a known code is refused") func incompleteRecords() throws {
        let failure = TrustFailure.expired(CertificateSummary(try TestChain().leaf.certificate), at: Instant.now)
        let object = try #require(
            try JSONSerialization.jsonObject(with: JSONEncoder().encode(failure)) as? [String: Any])
        let changes: [(inout [String: Any]) -> Void] = [
            { $0["at"] = nil }, { $0["code"] = "other" }, { $0["certificates"] = [Any]() },
            { $0["certificate"] = "00" },
        ]
        for change in changes {
            var changed = object
            change(&changed)
            let data = try JSONSerialization.data(withJSONObject: changed)
            #expect(throws: (any Error).self) { try JSONDecoder().decode(TrustFailure.self, from: data) }
        }
    }
}
