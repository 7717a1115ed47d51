// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import LimboHarness

/// Each condition of the suite's schema accepts a certificate that satisfies it and rejects any other.
struct LimboConditionTests {
    private static let leaf = Recipe().with {
        $0.names = [.dnsName("a.test"), .rfc822Name("mary@a.test"), .ipAddress(.init(contentBytes: [192, 0, 2, 1]))]
        $0.keyUsage = KeyUsage(digitalSignature: true, keyAgreement: true)
        $0.purposes = [.serverAuth, .clientAuth]
    }

    @Test(
        "Each condition of the suite is checked",
        arguments: [
            ("\"validation_kind\": \"SERVER\"", true),
            ("\"validation_kind\": \"CLIENT\"", true),
            ("\"extended_key_usage\": [\"serverAuth\", \"clientAuth\"]", true),
            ("\"extended_key_usage\": [\"clientAuth\", \"codeSigning\"]", false),
            ("\"extended_key_usage\": [\"1.3.6.1.5.5.7.3.2\"]", true),
            ("\"extended_key_usage\": [\"1.3.6.1.5.5.7.3.3\"]", false),
            ("\"extended_key_usage\": [\"anyExtendedKeyUsage\"]", false),
            ("\"extended_key_usage\": [\"unheard of\"]", false),
            ("\"key_usage\": [\"digitalSignature\", \"keyAgreement\"]", true),
            ("\"key_usage\": [\"digitalSignature\", \"keyEncipherment\"]", false),
            ("\"key_usage\": [\"decipherOnly\"]", false),
            ("\"key_usage\": [\"unheard of\"]", false),
            ("\"signature_algorithms\": [\"RSA_WITH_SHA256\", \"ECDSA_WITH_SHA256\"]", true),
            ("\"signature_algorithms\": [\"ECDSA_WITH_SHA384\"]", false),
            ("\"signature_algorithms\": [\"GOSTR3411_94_WITH_3410_2001\"]", false),
            ("\"purpose\": \"client\"", true),
            ("\"purpose\": \"codeSigning\"", false),
            ("\"purpose\": \"any\"", true),
            ("\"purpose\": \"any\", \"extended_key_usage\": [\"codeSigning\"]", false),
            ("\"rules\": \"private\"", true),
            ("\"revocation\": \"softFail\"", true),
            ("\"revocation\": \"hardFail\"", false),
            ("\"ocsp_responses\": []", false),
            ("\"max_chain_depth\": 1", true),
            ("\"max_chain_depth\": 0", false),
            ("\"validation_time\": \"2026-06-01T00:00:00.500+00:00\"", true),
            ("\"validation_time\": \"2027-06-01T00:00:00+00:00\"", false),
            ("\"expected_peer_name\": {\"kind\": \"DNS\", \"value\": \"a.test\"}", true),
            ("\"expected_peer_name\": {\"kind\": \"DNS\", \"value\": \"b.test\"}", false),
            ("\"expected_peer_name\": {\"kind\": \"IP\", \"value\": \"192.0.2.1\"}", true),
            ("\"expected_peer_name\": {\"kind\": \"IP\", \"value\": \"192.0.2.2\"}", false),
            ("\"expected_peer_name\": {\"kind\": \"IP\", \"value\": \"a.test\"}", false),
            // An IP address never matches as a DNS name, even if the certificate contains the address.
            ("\"expected_peer_name\": {\"kind\": \"DNS\", \"value\": \"192.0.2.1\"}", false),
            ("\"expected_peer_names\": [\(mary), {\"kind\": \"DNS\", \"value\": \"a.test\"}]", true),
            ("\"expected_peer_names\": [\(mary), {\"kind\": \"RFC822\", \"value\": \"john@a.test\"}]", false),
        ])
    func conditions(condition: String, isSatisfied: Bool) throws {
        let outcome = try Self.outcome(of: Self.leaf, condition)
        #expect(outcome.reasons.isEmpty == isSatisfied)
    }

    @Test(
        "A validation kind requires its own extended key usage",
        arguments: [
            ("\"validation_kind\": \"CLIENT\"", [ExtendedKeyUsage.Usage.serverAuth]),
            ("\"validation_kind\": \"SERVER\"", [.clientAuth]),
            // The list is added to the purpose of the validation kind and replaces nothing.
            ("\"extended_key_usage\": [\"clientAuth\"]", [.clientAuth]),
        ])
    func purposes(condition: String, purposes: [ExtendedKeyUsage.Usage]) throws {
        let outcome = try Self.outcome(of: Self.leaf.with { $0.purposes = purposes }, condition)
        #expect(outcome.reasons == ["trust.extended-key-usage"])
    }

    @Test("A purpose replaces that of the validation kind") func purpose() throws {
        let leaf = Self.leaf.with { $0.purposes = [.codeSigning] }
        for (purpose, isSatisfied) in [("codeSigning", true), ("any", true), ("email", false), ("server", false)] {
            let outcome = try Self.outcome(of: leaf, "\"purpose\": \"\(purpose)\"")
            #expect(outcome.reasons.isEmpty == isSatisfied, "\(purpose)")
        }
    }

    @Test("A purpose of TLS requires a key usage with which the key can be proved") func purposeOfTLS() throws {
        let leaf = Self.leaf.with { $0.keyUsage = KeyUsage(nonRepudiation: true) }
        for (purpose, isSatisfied) in [("server", false), ("client", false), ("any", true)] {
            let outcome = try Self.outcome(of: leaf, "\"purpose\": \"\(purpose)\"")
            #expect(outcome.reasons.isEmpty == isSatisfied, "\(purpose)")
        }
    }

    @Test("A certificate without usage extensions satisfies each usage") func noLimits() throws {
        let unlimited = Self.leaf.with { ($0.keyUsage, $0.purposes) = (nil, nil) }
        let condition = "\"key_usage\": [\"encipherOnly\"], \"extended_key_usage\": [\"codeSigning\"]"
        #expect(try Self.outcome(of: unlimited, condition).reasons.isEmpty)
    }

    @Test("An unreadable peer certificate is a failure with a reason") func unreadablePeer() throws {
        let outcome = try Self.outcome(of: Self.leaf, "\"peer_certificate\": \"\"")
        #expect(outcome.reasons.first?.hasPrefix("unreadable: ") == true)
    }

    @Test(
        "A malformed suite is an error",
        arguments: ["", "[]", "{\"version\": 1}", "{\"version\": 2, \"testcases\": []}"])
    func malformedSuite(text: String) {
        #expect(throws: HarnessError.self) { try LimboSuite(json: Data(text.utf8)) }
    }

    @Test("A result has the reasons of its failure, or a null context") func result() throws {
        let suite = try Self.suite(of: Self.leaf, "")
        let outcomes = LimboHarness.outcomes(of: suite, publicSuffixes: nil)
        let good = try #require(outcomes.first)
        let bad = (
            case: good.case, outcome: LimboOutcome(reasons: ["trust.expired", "trust.host-mismatch"], time: .zero)
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = String(decoding: try encoder.encode(LimboResult([good, bad])), as: UTF8.self)
        #expect(
            json == """
                {"harness":"countersign","results":[\
                {"actual_result":"SUCCESS","context":null,"id":"tests::one"},\
                {"actual_result":"FAILURE","context":"trust.expired\\ntrust.host-mismatch","id":"tests::one"}],"version":1}
                """)
    }

    @Test("An unlisted divergence fails, as does a listed one that no longer occurs") func divergences() throws {
        let outcomes = LimboHarness.outcomes(of: try Self.suite(of: Self.leaf, ""), publicSuffixes: nil)
        let wrong = outcomes.map { ($0.case, LimboOutcome(reasons: ["trust.expired"], time: .zero)) }
        #expect(LimboScore(outcomes, listed: [:]).isAsListed)
        #expect(!LimboScore(wrong, listed: [:]).isAsListed)
        #expect(LimboScore(wrong, listed: ["tests::one": "known"]).isAsListed)
        #expect(!LimboScore(outcomes, listed: ["tests::one": "no longer"]).isAsListed)
    }

    private static let mary = "{\"kind\": \"RFC822\", \"value\": \"mary@a.test\"}"

    private static func outcome(of recipe: Recipe, _ condition: String) throws -> LimboOutcome {
        try #require(LimboHarness.outcomes(of: suite(of: recipe, condition), publicSuffixes: nil).first).outcome
    }

    /// Returns a suite of one valid case, in which the members of a JSON object replace the fields of the same names.
    private static func suite(of recipe: Recipe, _ condition: String) throws -> LimboSuite {
        let root = try TestAuthority(root: .authority("root"))
        let intermediate = try root.issue(.authority("intermediate"))
        var fields: [String: Any] = [
            "id": "tests::one", "description": "", "validation_kind": "SERVER",
            "trusted_certs": [try root.certificate.serializeAsPEM().pemString],
            "untrusted_intermediates": [try intermediate.certificate.serializeAsPEM().pemString],
            "peer_certificate": try intermediate.issue(recipe).certificate.serializeAsPEM().pemString,
            "validation_time": "2026-06-01T00:00:00+00:00", "signature_algorithms": [String](),
            "key_usage": [String](), "extended_key_usage": [String](), "expected_result": "SUCCESS",
            "expected_peer_names": [String](),
        ]
        let changes = try JSONSerialization.jsonObject(with: Data("{\(condition)}".utf8)) as? [String: Any]
        fields.merge(changes ?? [:]) { $1 }
        let json = try JSONSerialization.data(withJSONObject: ["version": 1, "testcases": [fields]])
        return try LimboSuite(json: json)
    }
}
