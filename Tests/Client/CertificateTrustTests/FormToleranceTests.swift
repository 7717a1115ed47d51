// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

/// A certificate from raw fields, which may violate DER and RFC 5280.
struct RawRecipe {
    var version: [UInt8]? = Encoding.tagged(0, Encoding.integer([2]))
    var serialNumber: [UInt8] = [0x40, 1]
    var issuer = RawRecipe.name("root")
    var subject = RawRecipe.name("server")
    var notBefore = Encoding.utcTime(Instant.now - 86_400)
    var notAfter = Encoding.utcTime(Instant.now + 86_400)
    var extensions: [[UInt8]]? = []
    var key = P256.Signing.PrivateKey()

    /// A leaf for `a.test`.
    static func leaf(_ change: (inout Self) -> Void = { _ in }) -> Self {
        var recipe = Self()
        recipe.extensions = [names([Encoding.element(0x82, Array("a.test".utf8))])]
        change(&recipe)
        return recipe
    }

    /// A root or an intermediate authority.
    static func authority(_ subject: String, _ change: (inout Self) -> Void = { _ in }) -> Self {
        var recipe = Self()
        recipe.subject = name(subject)
        recipe.extensions = [basicConstraints([1, 1, 0xff])]
        change(&recipe)
        return recipe
    }

    static func name(_ text: String) -> [UInt8] { name([Array(text.utf8)], tag: 0x0c) }

    /// A name of one relative name with common names of a string type.
    static func name(_ texts: [[UInt8]], tag: UInt8) -> [UInt8] {
        Encoding.sequence(
            Encoding.element(
                0x31, texts.flatMap { Encoding.sequence(Encoding.identifier([0x55, 4, 3]), Encoding.element(tag, $0)) })
        )
    }

    static func names(_ names: [[UInt8]]) -> [UInt8] {
        Encoding.extensionNumber(17, Encoding.sequence(names.flatMap(\.self)))
    }

    static func basicConstraints(_ content: [UInt8]) -> [UInt8] {
        Encoding.extensionNumber(19, critical: true, Encoding.sequence(content))
    }

    func encoded(by issuerKey: P256.Signing.PrivateKey) throws -> [UInt8] {
        let info = Array(key.publicKey.derRepresentation)
        let signed = Encoding.sequence(
            version ?? [], Encoding.integer(serialNumber), ListRecipe.ecdsaWithSHA256, issuer,
            Encoding.sequence(notBefore, notAfter), subject, info,
            extensions.map { Encoding.tagged(3, Encoding.sequence($0.flatMap(\.self))) } ?? [])
        let signature = try issuerKey.signature(for: signed).derRepresentation
        return Encoding.sequence(signed, ListRecipe.ecdsaWithSHA256, Encoding.bits(Array(signature)))
    }
}

/// A root, an intermediate and a leaf of raw recipes.
struct RawChain {
    let root: [UInt8]
    let presented: [[UInt8]]
    let rootKey: P256.Signing.PrivateKey

    init(
        root: (inout RawRecipe) -> Void = { _ in }, intermediate: (inout RawRecipe) -> Void = { _ in },
        leaf: (inout RawRecipe) -> Void = { _ in }
    ) throws {
        let (top, middle) = (RawRecipe.authority("root", root), RawRecipe.authority("inter", intermediate))
        let bottom = RawRecipe.leaf {
            $0.issuer = RawRecipe.name("inter")
            leaf(&$0)
        }
        rootKey = top.key
        self.root = try top.encoded(by: top.key)
        presented = [try bottom.encoded(by: middle.key), try middle.encoded(by: top.key)]
    }

    func verdict(
        profile: TrustPolicy.Profile? = nil, rules: RuleSet? = nil, tolerating tolerated: Set<TrustFailure.Rule> = [],
        policies: CertificatePolicyInputs = CertificatePolicyInputs()
    ) throws -> Verdict {
        let anchor = try #require(CertificateSummary(anchor: root))
        let policy = TrustPolicy(
            anchors: .only([anchor]), profile: profile, certificatePolicies: policies, toleratedRules: tolerated)
        let chain = try #require(PresentedChain(derEncoded: presented))
        var requirements = PathRequirements()
        requirements.rules = rules
        return TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            chain, for: [.host(try HostName("a.test"))], requirements: requirements, at: Instant.now)
    }

    /// Checks that the private profile accepts the chain with a remark, that the other profiles name the rule, and that a
    /// policy can tolerate it.
    func expectTolerance(
        of rule: TrustFailure.Rule, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let verdict = try verdict()
        #expect(codes(verdict) == [], sourceLocation: location)
        #expect(verdict.leniencies.contains { $0.rule == rule }, sourceLocation: location)
        for (profile, rules) in [(.webPKI, nil), (nil, .rfc5280)] as [(TrustPolicy.Profile?, RuleSet?)] {
            // The chain breaks other rules of the profiles too, which are not the subject here.
            let others = Set(TrustFailure.Rule.allCases).subtracting([rule])
            let refused = try self.verdict(profile: profile, rules: rules, tolerating: others)
            guard case .nonconforming(_, let broken)? = refused.failure else {
                Issue.record("\(rule) is not enforced: \(refused)", sourceLocation: location)
                continue
            }
            #expect(broken == rule, sourceLocation: location)
            let tolerant = try self.verdict(profile: profile, rules: rules, tolerating: others.union([rule]))
            #expect(codes(tolerant) == [], sourceLocation: location)
            #expect(tolerant.leniencies.contains { $0.rule == rule }, sourceLocation: location)
            // Tolerance does not extend to forgeries.
            let forged = try RawChain(forging: self).verdict(
                profile: profile, rules: rules, tolerating: others.union([rule]))
            #expect(codes(forged) == ["trust.bad-signature"], sourceLocation: location)
        }
    }

    private init(forging chain: RawChain) {
        (root, rootKey) = (chain.root, chain.rootKey)
        var presented = chain.presented
        presented[0][presented[0].count - 1] ^= 1
        self.presented = presented
    }
}

struct FormToleranceTests {
    @Test(
        "A key usage with superfluous bits is read",
        arguments: [[0x06, 0xa0], [0, 0xa0], [0x07, 0xa0, 0x00], [0, 0xa0, 0, 0], [5, 0xa1], [0, 0xa0, 0, 1]]
            as [[UInt8]])
    func keyUsage(bits: [UInt8]) throws {
        let usage = Encoding.extensionNumber(15, critical: true, Encoding.element(3, bits))
        try RawChain(leaf: { $0.extensions?.append(usage) }).expectTolerance(of: .keyUsageEncoding)
    }

    @Test(
        "Superfluous bits of a key usage do not add a usage", arguments: [[3, 0x0c], [0, 0x02, 0, 0xff]] as [[UInt8]])
    func keyUsageBits(bits: [UInt8]) throws {
        // The bits keyCertSign and keyAgreement are unused in the first, and only cRLSign is set in the second.
        let usage = Encoding.extensionNumber(15, critical: true, Encoding.element(3, bits))
        let isAgreement = bits[0] == 3
        let expected = isAgreement ? [] : ["trust.key-usage"]
        #expect(try codes(RawChain(leaf: { $0.extensions?.append(usage) }).verdict()) == expected)
        #expect(try codes(RawChain(intermediate: { $0.extensions?.append(usage) }).verdict()) == ["trust.key-usage"])
    }

    @Test("A path length in a certificate that is no authority's limits nothing") func pathLength() throws {
        try RawChain(leaf: { $0.extensions?.append(RawRecipe.basicConstraints([2, 1, 0])) })
            .expectTolerance(of: .pathLengthWithoutAuthority)
        let intermediate = try RawChain(intermediate: { $0.extensions = [RawRecipe.basicConstraints([2, 1, 0])] })
        #expect(try codes(intermediate.verdict()) == ["trust.not-an-authority"])
    }

    @Test("Default values and other Booleans are read", arguments: 0..<6) func canonicalEncoding(number: Int) throws {
        let unknown = Encoding.sequence(
            Encoding.identifier([0x2b, 0x06, 0x01, 0x04, 0x01, 0x01]), [1, 1, 0], Encoding.octets([5, 0]))
        let minimum = Encoding.sequence(
            Encoding.tagged(0, Encoding.sequence(Encoding.element(0x82, Array("test".utf8)), [0x80, 1, 0])))
        let chain = try RawChain(
            intermediate: {
                switch number {
                case 0: $0.extensions = [RawRecipe.basicConstraints([1, 1, 1])]
                case 1: $0.extensions?.append(Encoding.extensionNumber(30, critical: true, minimum))
                default: break
                }
            },
            leaf: {
                switch number {
                case 2: $0.extensions?.append(RawRecipe.basicConstraints([1, 1, 0]))
                case 3: $0.extensions?.append(unknown)
                case 4: ($0.version, $0.extensions) = (Encoding.tagged(0, Encoding.integer([0])), $0.extensions)
                case 5: $0.subject = RawRecipe.name([Array("b".utf8), Array("a".utf8)], tag: 0x0c)
                default: break
                }
            })
        guard number != 4 else {
            // The extensions of a certificate of version 1 are another fault.
            let verdict = try chain.verdict(tolerating: [.version])
            #expect(codes(verdict) == [] && verdict.leniencies.contains { $0.rule == .canonicalEncoding })
            return
        }
        try chain.expectTolerance(of: .canonicalEncoding)
    }

    @Test("A critical extension with another Boolean than 0xff is critical") func criticalBoolean() throws {
        let unknown = Encoding.sequence(
            Encoding.identifier([0x2b, 0x06, 0x01, 0x04, 0x01, 0x01]), [1, 1, 1], Encoding.octets([5, 0]))
        let chain = try RawChain(leaf: { $0.extensions?.append(unknown) })
        #expect(try codes(chain.verdict()) == ["trust.unknown-critical-extension"])
    }

    @Test("Empty sequences restrict nothing", arguments: 0..<5) func emptySequences(number: Int) throws {
        let empty = [
            Encoding.extensionNumber(30, critical: true, Encoding.sequence()),
            Encoding.extensionNumber(30, critical: true, Encoding.sequence(Encoding.tagged(0))),
            Encoding.extensionNumber(36, critical: true, Encoding.sequence()),
            Encoding.certificateExtension([0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x01, 0x18], Encoding.sequence()),
        ]
        let chain = try RawChain(
            root: { if number == 4 { ($0.version, $0.extensions) = ($0.version, $0.extensions) } },
            intermediate: { if number < 4 { $0.extensions?.append(empty[number]) } },
            leaf: { if number == 4 { $0.extensions = [] } })
        guard number == 4 else { return try chain.expectTolerance(of: .emptySequences) }
        #expect(try codes(chain.verdict()) == ["trust.no-subject-alternative-names"])
    }

    @Test("A DNS constraint may begin with a dot") func constraintWithDot() throws {
        let constraints = Encoding.sequence(
            Encoding.tagged(0, Encoding.sequence(Encoding.element(0x82, Array(".test".utf8)))))
        let chain = try RawChain(intermediate: {
            $0.extensions?.append(Encoding.extensionNumber(30, critical: true, constraints))
        })
        try chain.expectTolerance(of: .nameConstraintSyntax)
        #expect(
            try chain.verdict().leniencies.first { $0.rule == .nameConstraintSyntax }?.explanation.contains(".test,")
                == true)
    }

    @Test("A subtree with a minimum or a maximum is refused", arguments: [[0x80, 1, 1], [0x81, 1, 0]] as [[UInt8]])
    func distances(distance: [UInt8]) throws {
        let constraints = Encoding.sequence(
            Encoding.tagged(0, Encoding.sequence(Encoding.element(0x82, Array("test".utf8)), distance)))
        let chain = try RawChain(intermediate: {
            $0.extensions?.append(Encoding.extensionNumber(30, critical: true, constraints))
        })
        #expect(try codes(chain.verdict()) == ["trust.malformed-extension"])
    }

    @Test(
        "A serial number that is zero, negative or too long is read",
        arguments: [[0], [0xff], [0x80, 1], [1] + [UInt8](repeating: 1, count: 40)] as [[UInt8]])
    func serialNumber(octets: [UInt8]) throws {
        let chain = try RawChain(leaf: { $0.serialNumber = octets })
        try chain.expectTolerance(of: .serialNumber)
    }

    @Test("A repeated policy or purpose counts once") func duplicates() throws {
        let policy = Encoding.sequence(Encoding.identifier([0x2b, 9, 1]))
        let policies = Encoding.extensionNumber(32, Encoding.sequence(policy, policy))
        try RawChain(leaf: { $0.extensions?.append(policies) }).expectTolerance(of: .duplicatePolicies)
        let gold = try #require(CertificatePolicyIdentifier("1.3.9.1"))
        let once = Encoding.extensionNumber(32, Encoding.sequence(policy))
        let required = try RawChain(
            intermediate: { $0.extensions?.append(once) }, leaf: { $0.extensions?.append(policies) }
        ).verdict(policies: CertificatePolicyInputs(acceptable: [gold], isRequired: true))
        #expect(codes(required) == [])
        let purpose = Encoding.identifier([0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01])
        let purposes = Encoding.extensionNumber(37, Encoding.sequence(purpose, purpose))
        #expect(try codes(RawChain(leaf: { $0.extensions?.append(purposes) }).verdict()) == [])
    }

    @Test(
        "Critical extensions that restrict no path are processed",
        arguments: [
            Encoding.extensionNumber(14, critical: true, [4, 1, 1]),
            Encoding.extensionNumber(35, critical: true, Encoding.sequence([0x80, 1, 1])),
            Encoding.extensionNumber(31, critical: true, Encoding.sequence()),
            Encoding.extensionNumber(18, critical: true, Encoding.sequence()),
            Encoding.certificateExtension(
                [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x01, 0x01], critical: true,
                Encoding.sequence(
                    Encoding.sequence(
                        Encoding.identifier([0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x02]),
                        Encoding.element(0x86, Array("http://a.test/".utf8))))),
        ])
    func criticalInformation(encoded: [UInt8]) throws {
        try RawChain(leaf: { $0.extensions?.append(encoded) }).expectTolerance(of: .uncriticalInformation)
    }

    @Test("Critical application policies are accepted beside the same extended key usage") func applicationPolicies()
        throws
    {
        let server: [UInt8] = [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01]
        let client: [UInt8] = server.dropLast() + [0x02]
        let purposes = Encoding.extensionNumber(37, Encoding.sequence(Encoding.identifier(server)))
        func policies(_ purpose: [UInt8]) -> [UInt8] {
            Encoding.certificateExtension(
                ExtensionNumber.applicationPolicies, critical: true,
                Encoding.sequence(Encoding.sequence(Encoding.identifier(purpose))))
        }
        try RawChain(leaf: { $0.extensions? += [purposes, policies(server)] })
            .expectTolerance(of: .uncriticalInformation)
        for extensions in [[policies(server)], [purposes, policies(client)]] {
            let verdict = try RawChain(leaf: { $0.extensions? += extensions }).verdict()
            #expect(codes(verdict) == ["trust.unknown-critical-extension"])
        }
    }

    @Test(
        "Times in other forms of X.680 are read, except local ones",
        arguments: [
            (DERTag.generalizedTime, "20270101000000Z", true), (DERTag.utcTime, "2701010000Z", true),
            (DERTag.utcTime, "270101000000+0100", true), (DERTag.generalizedTime, "20270101000000.5Z", true),
            (DERTag.generalizedTime, "20270101000000", false), (DERTag.utcTime, "270101000000", false),
        ])
    func times(tag: UInt8, text: String, isRead: Bool) throws {
        let chain = try RawChain(leaf: { $0.notAfter = Encoding.element(tag, Array(text.utf8)) })
        guard isRead else {
            #expect(PresentedChain(derEncoded: chain.presented)?.leaf.problem == .malformed(.validity))
            return
        }
        try chain.expectTolerance(of: .validityEncoding)
    }

    @Test("An alternative name that is not ASCII matches nothing and harms nothing") func otherCharacters() throws {
        let host = Encoding.element(0x82, Array("a.test".utf8))
        for other in [Encoding.element(0x82, [0xe4, 0x2e, 0x61]), Encoding.element(0x81, Array("ü@a.test".utf8))] {
            let chain = try RawChain(leaf: { $0.extensions = [RawRecipe.names([other, host])] })
            try chain.expectTolerance(of: .alternativeNameSyntax)
        }
        let alone = try RawChain(leaf: { $0.extensions = [RawRecipe.names([Encoding.element(0x82, [0xe1])])] })
        #expect(try codes(alone.verdict()) == ["trust.host-mismatch"])
    }

    @Test("A certificate with many extensions and purposes is read") func manyExtensions() throws {
        let extensions = (0..<200).map { number in
            Encoding.certificateExtension(
                [0x2b, 0x06, 0x01, 0x04, 0x01, 0x86, UInt8(number % 100), UInt8(number / 100)], [5, 0])
        }
        let purposes = Encoding.extensionNumber(
            37,
            Encoding.sequence(
                (0..<100).flatMap { Encoding.identifier([0x2b, 0x06, $0]) }
                    + Encoding.identifier([0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01])))
        #expect(try codes(RawChain(leaf: { $0.extensions? += extensions + [purposes] }).verdict()) == [])
        let twice = try RawChain(leaf: { $0.extensions? += extensions + [extensions[7]] })
        #expect(PresentedChain(derEncoded: twice.presented)?.leaf.problem == .malformed(.extensions))
    }

    @Test("The rules of the whole path can be tolerated", arguments: [TrustFailure.Rule.inheritedFeatures, .version])
    func pathRules(rule: TrustFailure.Rule) throws {
        let features = Encoding.certificateExtension(ExtensionNumber.features, Encoding.sequence([2, 1, 17]))
        let chain = try RawChain(
            intermediate: { if rule == .inheritedFeatures { $0.extensions?.append(features) } },
            leaf: { if rule == .version { $0.version = nil } })
        #expect(try codes(chain.verdict()) == ["trust.nonconforming"])
        let verdict = try chain.verdict(tolerating: [rule])
        #expect(codes(verdict) == [] && verdict.leniencies.contains { $0.rule == rule })
    }
}
