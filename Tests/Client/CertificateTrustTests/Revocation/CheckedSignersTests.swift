// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

struct CheckedSignersTests {
    @Test("A list caches the key of its signature and a few other checked keys") func memory() throws {
        let fixture = try RevocationFixture()
        let list = try CertificateRevocationList(derEncoded: fixture.list())
        let issuer = ParsedCertificate(fixture.root.certificate)
        let namesakes = try (0..<5).map { _ in
            ParsedCertificate(try TestAuthority(root: .authority("root")).certificate)
        }
        func answers(_ certificates: [ParsedCertificate]) -> [Bool?] {
            certificates.map { list.signed.checkedSigners.isSigned(by: $0.fields.publicKeyInfo) }
        }
        func check(_ signer: ParsedCertificate) throws {
            var budget = SignatureBudget(within: EvaluationBudget())
            _ = try list.signed.checkSignature(by: signer, budget: &budget)
        }
        #expect(answers([issuer] + namesakes) == [nil, nil, nil, nil, nil, nil])
        try check(issuer)
        for _ in 0..<2 {
            for namesake in namesakes {
                #expect(throws: RevocationProblem.badSignature) { try check(namesake) }
                #expect(answers([namesake]) == [false])
            }
            // The key that made the signature stays in the cache, however many other keys are checked.
            try check(issuer)
            #expect(answers([issuer] + namesakes) == [true, nil, nil, nil, false, false])
        }
    }

    @Test("A cached signature check still counts against the budget") func budget() throws {
        let fixture = try RevocationFixture()
        let list = try CertificateRevocationList(derEncoded: fixture.list())
        let issuer = ParsedCertificate(fixture.root.certificate)
        var budget = SignatureBudget(within: EvaluationBudget())
        for _ in 0..<8 { _ = try list.signed.checkSignature(by: issuer, budget: &budget) }
        #expect(throws: RevocationProblem.budgetExhausted) {
            try list.signed.checkSignature(by: issuer, budget: &budget)
        }
    }
}
