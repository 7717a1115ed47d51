// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

/// Encodings that other implementations reject, as found by the differential run.
struct EncodingTests {
    @Test("A signature with unused bits is invalid", arguments: [UInt8(0), 1]) func unusedBits(count: UInt8) throws {
        let chain = try TestChain()
        var bytes: [UInt8] = []
        // DER requires unused bits to be zero, so a signature that ends with a zero bit is needed.
        repeat {
            bytes = try chain.intermediate.issue(Recipe()).certificate.bytes()
        } while bytes.last.map { $0 & 1 } != 0
        var outer = DERReader(bytes[...])
        let inside = outer.enter(DERTag.sequence)
        var parts = try #require(inside)
        _ = (parts.next(), parts.next())
        let last = parts.next()
        let signature = try #require(last)
        bytes[bytes.count - signature.content.count] = count
        let leaf = try Certificate(derEncoded: bytes)
        let verdict = try evaluate(
            [leaf, chain.intermediate.certificate], anchors: [chain.root.certificate])
        #expect(codes(verdict) == (count == 0 ? [] : ["trust.bad-signature"]))
    }

    @Test("RFC 5280 and the Baseline Requirements require an authority's key usage") func authorityKeyUsage() throws {
        let chain = try TestChain(intermediate: { $0.keyUsage = nil }, leaf: { $0.keyUsage = nil })
        func rules(_ authority: TestAuthority, isLeaf: Bool) -> FormRules {
            ParsedCertificate(authority.certificate).brokenRules(asLeaf: isLeaf)
        }
        #expect(rules(chain.intermediate, isLeaf: false).contains(.authorityKeyUsage))
        #expect(!rules(chain.root, isLeaf: false).contains(.authorityKeyUsage))
        #expect(!rules(chain.leaf, isLeaf: true).contains(.authorityKeyUsage))
        #expect(RuleSet.rfc5280.anchorRules.contains(.authorityKeyUsage))
        #expect(
            RuleSet.webPKI.rules.contains(.authorityKeyUsage) && !RuleSet.privatePKI.rules.contains(.authorityKeyUsage))
    }

    @Test("A set of form rules contains the added rules, in the order of their declaration") func formRules() {
        let rules = TrustFailure.Rule.allCases
        for rule in rules { #expect(FormRules([rule]).rules == [rule]) }
        #expect(FormRules(rules.reversed()).rules == rules)
        #expect(FormRules([.version, .keySize]).subtracting([.keySize]).rules == [.version])
        #expect(FormRules([.version]).intersection([.keySize]).isEmpty)
    }

    @Test(
        "Each year requires one encoding of its times",
        arguments: [
            (tag: DERTag.utcTime, text: "260601000000Z", isGood: true), (DERTag.utcTime, "2606010000Z", false),
            (DERTag.utcTime, "260601000000+0100", false), (DERTag.utcTime, "260601000060Z", false),
            (DERTag.generalizedTime, "20500101000000Z", true), (DERTag.generalizedTime, "19491231235959Z", true),
            (DERTag.generalizedTime, "20491231235959Z", false), (DERTag.generalizedTime, "19500101000000Z", false),
            (DERTag.generalizedTime, "20500101000000.5Z", false), (DERTag.generalizedTime, "20500101000000", false),
            (DERTag.utcTime, "", false), (DERTag.integer, "260601000000Z", false),
        ])
    func times(tag: UInt8, text: String, isGood: Bool) throws {
        let bytes = [tag, UInt8(text.utf8.count)] + Array(text.utf8)
        var reader = DERReader(bytes[...])
        let time = try? reader.takeValidityTime()
        #expect((time?.isConforming ?? false) == isGood)
    }

    @Test(
        "A critical policy extension with undefined fields is malformed",
        arguments: [
            // requireExplicitPolicy and inhibitPolicyMapping: in order, swapped, and the first one twice.
            (
                identifier: ASN1ObjectIdentifier.policyConstraints, value: [0x30, 6, 0x80, 1, 9, 0x81, 1, 0],
                isGood: true
            ),
            (.policyConstraints, [0x30, 6, 0x81, 1, 0, 0x80, 1, 9], false),
            (.policyConstraints, [0x30, 6, 0x80, 1, 9, 0x80, 1, 9], false),
            // The policy 1.2.3: alone, and with an element after its qualifiers.
            (.certificatePolicies, [0x30, 6, 0x30, 4, 6, 2, 42, 3], true),
            (.certificatePolicies, [0x30, 10, 0x30, 8, 6, 2, 42, 3, 0x30, 0, 0x30, 0], false),
        ] as [(identifier: ASN1ObjectIdentifier, value: [UInt8], isGood: Bool)])
    func policyExtensions(identifier: ASN1ObjectIdentifier, value: [UInt8], isGood: Bool) throws {
        let found = Certificate.Extension(oid: identifier, critical: true, value: value[...])
        let verdict = try TestChain(intermediate: { $0.extra = [found] }).verdict()
        #expect(codes(verdict) == (isGood ? [] : ["trust.malformed-extension"]))
    }

    @Test(
        "A certificate needs every TLS feature of its issuer",
        arguments: [
            // Features other than status_request, which would require a stapled response.
            (issuer: [] as [UInt8], leaf: [] as [UInt8], isGood: true), ([], [17], true), ([17], [17], true),
            ([17], [], false), ([17, 18], [17], false),
        ])
    func features(issuer: [UInt8], leaf: [UInt8], isGood: Bool) throws {
        func feature(_ numbers: [UInt8]) -> [Certificate.Extension] {
            let value: [UInt8] = [0x30, UInt8(numbers.count * 3)] + numbers.flatMap { [2, 1, $0] as [UInt8] }
            return numbers.isEmpty
                ? [] : [.init(oid: [1, 3, 6, 1, 5, 5, 7, 1, 24], critical: false, value: value[...])]
        }
        let chain = try TestChain(intermediate: { $0.extra = feature(issuer) }, leaf: { $0.extra = feature(leaf) })
        #expect(try codes(chain.verdict()) == (isGood ? [] : ["trust.nonconforming"]))
    }
}
