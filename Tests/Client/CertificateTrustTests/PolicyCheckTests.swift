// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

/// The policy extensions of a path's certificates, from the one below the anchor to the leaf.
struct PolicyScenario: Sendable {
    struct PolicyExtensions: Sendable {
        var policies: [[UInt]]?
        var mappings: [(issuer: [UInt], subject: [UInt])] = []
        var requireExplicit: UInt8?
        var inhibitMapping: UInt8?
        var inhibitAny: UInt8?

        static func policies(_ policies: [UInt]..., require: UInt8? = nil) -> Self {
            Self(policies: policies, requireExplicit: require)
        }
    }

    let name: String
    let path: [PolicyExtensions]
    let isTrusted: Bool
}

extension PolicyScenario.PolicyExtensions {
    func extensions() throws -> [Certificate.Extension] {
        var found: [Certificate.Extension] = []
        if let policies {
            try found.append(
                .encoded([2, 5, 29, 32]) { list in
                    for policy in policies {
                        try list.appendConstructedNode(identifier: .sequence) {
                            try $0.serialize(Self.identifier(policy))
                        }
                    }
                })
        }
        if !mappings.isEmpty {
            try found.append(
                .encoded([2, 5, 29, 33]) { list in
                    for mapping in mappings {
                        try list.appendConstructedNode(identifier: .sequence) {
                            try $0.serialize(Self.identifier(mapping.issuer))
                            try $0.serialize(Self.identifier(mapping.subject))
                        }
                    }
                })
        }
        if requireExplicit != nil || inhibitMapping != nil {
            let content = [(0x80, requireExplicit), (0x81, inhibitMapping)].flatMap { tag, value -> [UInt8] in
                value.map { [UInt8(tag), 1, $0] } ?? []
            }
            found.append(.init(oid: [2, 5, 29, 36], critical: true, value: [0x30, UInt8(content.count)] + content))
        }
        if let inhibitAny { found.append(.init(oid: [2, 5, 29, 54], critical: true, value: [2, 1, inhibitAny])) }
        return found
    }

    private static func identifier(_ numbers: [UInt]) throws -> ASN1ObjectIdentifier {
        try ASN1ObjectIdentifier(elements: numbers)
    }
}

extension Certificate.Extension {
    fileprivate static func encoded(
        _ identifier: ASN1ObjectIdentifier, _ content: (inout DER.Serializer) throws -> Void
    ) throws -> Self {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { try content(&$0) }
        return .init(oid: identifier, critical: false, value: serializer.serializedBytes[...])
    }
}

private let (gold, silver, any): ([UInt], [UInt], [UInt]) = ([1, 3, 9, 1], [1, 3, 9, 2], [2, 5, 29, 32, 0])

struct PolicyCheckTests {
    static let scenarios: [PolicyScenario] = [
        .init(name: "no policy is required", path: [.policies(gold), .policies(silver)], isTrusted: true),
        .init(
            name: "one policy in every certificate", path: [.policies(gold, require: 0), .policies(gold)],
            isTrusted: true),
        .init(name: "another policy", path: [.policies(gold, require: 0), .policies(silver)], isTrusted: false),
        .init(name: "no policy at the end", path: [.policies(gold, require: 0), .init()], isTrusted: false),
        .init(
            name: "no policy in the issuer", path: [.init(requireExplicit: 0), .policies(gold)], isTrusted: false),
        .init(name: "the leaf requires a policy", path: [.init(), .policies(gold, require: 0)], isTrusted: false),
        .init(
            name: "the leaf requires a policy that the path has", path: [.policies(gold), .policies(gold, require: 0)],
            isTrusted: true),
        .init(
            name: "required only below", path: [.policies(gold, require: 2), .policies(silver)], isTrusted: true),
        .init(name: "anyPolicy above", path: [.policies(any, require: 0), .policies(gold)], isTrusted: true),
        .init(name: "anyPolicy below", path: [.policies(gold, require: 0), .policies(any)], isTrusted: true),
        .init(
            name: "anyPolicy is inhibited",
            path: [.init(policies: [gold], requireExplicit: 0, inhibitAny: 0), .policies(any)], isTrusted: false),
        .init(
            name: "anyPolicy is inhibited one level further down",
            path: [.init(policies: [gold], requireExplicit: 0, inhibitAny: 1), .policies(any)], isTrusted: true),
        .init(
            name: "mapped",
            path: [
                .init(policies: [gold], mappings: [(gold, silver)], requireExplicit: 0), .policies(silver),
            ], isTrusted: true),
        .init(
            name: "mapped to another policy",
            path: [
                .init(policies: [gold], mappings: [(gold, silver)], requireExplicit: 0), .policies(gold),
            ], isTrusted: false),
        .init(
            name: "mapped below anyPolicy",
            path: [
                .init(policies: [any], mappings: [(gold, silver)], requireExplicit: 0), .policies(silver),
            ], isTrusted: true),
        .init(
            name: "mapping is inhibited",
            path: [
                .init(policies: [gold], requireExplicit: 0, inhibitMapping: 0),
                .init(policies: [gold], mappings: [(gold, silver)]), .policies(silver),
            ], isTrusted: false),
    ]

    @Test("Certificate policies are processed as in RFC 5280 section 6.1", arguments: scenarios)
    func policies(scenario: PolicyScenario) throws {
        let (chain, root) = try Self.chain(scenario.path)
        let verdict = try evaluate(chain, anchors: [root])
        #expect(codes(verdict) == (scenario.isTrusted ? [] : ["trust.no-valid-policy"]), "\(scenario.name)")
    }

    /// Issues a chain whose certificates have the given extensions, and returns it with its root.
    private static func chain(_ path: [PolicyScenario.PolicyExtensions]) throws -> ([Certificate], root: Certificate) {
        var issuer = try TestAuthority(root: .authority("root"))
        let root = issuer.certificate
        var chain: [Certificate] = []
        for (index, says) in path.enumerated() {
            let isLeaf = index == path.count - 1
            let extra = try says.extensions()
            issuer = try issuer.issue((isLeaf ? Recipe() : .authority("ca \(index)")).with { $0.extra = extra })
            chain.insert(issuer.certificate, at: 0)
        }
        return (chain, root)
    }

    private static let (goldPolicy, silverPolicy) = (
        CertificatePolicyIdentifier("1.3.9.1"), CertificatePolicyIdentifier("1.3.9.2")
    )

    @Test(
        "The caller's inputs apply to a path that requires no policy, and the verdict lists the anchor's policies",
        arguments: [
            ([.policies(gold), .policies(gold)], CertificatePolicyInputs(), [goldPolicy]),
            ([.policies(any), .policies(any)], CertificatePolicyInputs(), [.any]),
            ([.policies(any), .policies(gold)], CertificatePolicyInputs(), [goldPolicy]),
            ([.policies(gold), .policies(silver)], CertificatePolicyInputs(), []),
            ([.policies(gold), .policies(silver)], CertificatePolicyInputs(isRequired: true), nil),
            ([.policies(gold), .policies(gold)], CertificatePolicyInputs(isRequired: true), [goldPolicy]),
            ([.policies(gold), .policies(gold)], accepts(silverPolicy), nil),
            ([.policies(gold, silver), .policies(any)], accepts(silverPolicy), [silverPolicy]),
            ([.policies(any), .policies(any)], accepts(silverPolicy), [silverPolicy]),
            (
                [.policies(any), .policies(any)],
                CertificatePolicyInputs(isRequired: true, allowsAnyPolicy: false), nil
            ),
            // The second authority's silver policy is mapped to the first authority's gold policy.
            (mapped, accepts(goldPolicy), [goldPolicy]),
            (mapped, accepts(silverPolicy), nil),
            (mapped, CertificatePolicyInputs(isRequired: true, allowsMapping: false), nil),
        ] as [([PolicyScenario.PolicyExtensions], CertificatePolicyInputs, [CertificatePolicyIdentifier?]?)])
    func inputs(
        path: [PolicyScenario.PolicyExtensions], inputs: CertificatePolicyInputs,
        policies: [CertificatePolicyIdentifier?]?
    ) throws {
        let (chain, root) = try Self.chain(path)
        let policy = TrustPolicy(anchors: .only([root]), certificatePolicies: inputs)
        let verdict = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            try #require(PresentedChain(chain)), for: try HostName("a.test"), at: Instant.now)
        #expect(codes(verdict) == (policies == nil ? ["trust.no-valid-policy"] : []))
        #expect(verdict.certificatePolicies == Set((policies ?? []).compactMap(\.self)))
    }

    @Test(
        "A failure states the certificate, its policies, the allowed ones, and the certificate that requires a policy",
        arguments: [
            (
                [.policies(gold), .policies(silver)], CertificatePolicyInputs(isRequired: true),
                "The certificate of CN=server is for the certificate policy 1.3.9.2, and its authorities allow 1.3.9.1",
                "The trust policy requires"
            ),
            (
                [.policies(gold), .init()], CertificatePolicyInputs(isRequired: true),
                "The certificate of CN=server names no certificate policy; its authorities allow 1.3.9.1",
                "The trust policy requires"
            ),
            // The failure names the authority, although the leaf requires a policy.
            (
                [.policies(gold), .policies(silver), .policies(silver, require: 0)], CertificatePolicyInputs(),
                "The certificate of CN=ca 1 is for the certificate policy 1.3.9.2, and its authorities allow 1.3.9.1",
                "CN=server requires"
            ),
            (
                [.policies(gold, require: 0), .policies(silver)], CertificatePolicyInputs(),
                "The certificate of CN=server is for the certificate policy 1.3.9.2, and its authorities allow 1.3.9.1",
                "CN=ca 0 requires"
            ),
            (
                [.policies(gold, silver), .policies(gold, silver)],
                CertificatePolicyInputs(acceptable: [.extendedValidation], isRequired: true),
                """
                The certificate of CN=server is good for the certificate policy 1.3.9.1, 1.3.9.2, and the trust policy accepts extended validation \
                (2.23.140.1.1)
                """, "The trust policy requires"
            ),
        ] as [([PolicyScenario.PolicyExtensions], CertificatePolicyInputs, String, String)])
    func problems(
        path: [PolicyScenario.PolicyExtensions], inputs: CertificatePolicyInputs, message: String, reason: String
    ) throws {
        let (chain, root) = try Self.chain(path)
        let policy = TrustPolicy(anchors: .only([root]), certificatePolicies: inputs)
        let verdict = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            try #require(PresentedChain(chain)), for: try HostName("a.test"), at: Instant.now)
        let explanation = try #require(verdict.failure?.explanation)
        #expect(explanation.message.contains(message))
        #expect(explanation.reason.hasPrefix(reason))
        let encoded = try JSONEncoder().encode(verdict)
        #expect(try JSONDecoder().decode(Verdict.self, from: encoded) == verdict)
    }

    @Test("A policy that the caller has named appears by name in verdict and failure") func names() throws {
        let named = try #require(CertificatePolicyIdentifier("1.3.9.1", name: "Gold"))
        let (chain, root) = try Self.chain([.policies(gold), .policies(gold)])
        let policy = TrustPolicy(
            anchors: .only([root]), certificatePolicies: CertificatePolicyInputs(acceptable: [named], isRequired: true))
        let verdict = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            try #require(PresentedChain(chain)), for: try HostName("a.test"), at: Instant.now)
        #expect(verdict.certificatePolicies.map(\.name) == ["Gold"])
    }

    @Test(
        "A policy identifier is printed as it is parsed",
        arguments: ["2.5.29.32.0", "2.23.140.1.2.1", "1.3.9.1", "2.999.3", "0.39", "2.40.18446744073709551615"])
    func identifiers(text: String) {
        #expect(CertificatePolicyIdentifier(text)?.description == text)
    }

    @Test(
        "A malformed object identifier is not a policy",
        arguments: ["", "1", "3.1", "1.40", "1..2", "1.2.x", "1.2.-1", "1.2.+1", "1.2. 1"])
    func malformedIdentifiers(text: String) { #expect(CertificatePolicyIdentifier(text) == nil) }

    @Test("A policy may contain a number of any length, and anyPolicy accepts all policies")
    func longIdentifiers() throws {
        // The arc 2.25 and a 128-bit number.
        let content: [UInt8] = [0x69, 0x83] + [UInt8](repeating: 0xFF, count: 17) + [0x7F]
        let policies = Encoding.sequence(Encoding.sequence(Encoding.identifier(content)))
        let extra: [Certificate.Extension] = [.init(oid: [2, 5, 29, 32], critical: false, value: policies[...])]
        let chain = try TestChain(intermediate: { $0.extra = extra }, leaf: { $0.extra = extra })
        for acceptable in [nil, [CertificatePolicyIdentifier.any]] as [Set<CertificatePolicyIdentifier>?] {
            let policy = TrustPolicy(
                anchors: .only([chain.root.certificate]),
                certificatePolicies: CertificatePolicyInputs(acceptable: acceptable, isRequired: true))
            let verdict = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
                try #require(PresentedChain(chain.presented)), for: try HostName("a.test"), at: Instant.now)
            #expect(codes(verdict) == [])
            #expect(verdict.certificatePolicies.map(\.description).first?.hasPrefix("#69") == true)
        }
    }

    private static let mapped: [PolicyScenario.PolicyExtensions] = [
        .init(policies: [gold], mappings: [(gold, silver)]), .policies(silver),
    ]

    private static func accepts(_ policy: CertificatePolicyIdentifier?) -> CertificatePolicyInputs {
        CertificatePolicyInputs(acceptable: Set([policy].compactMap(\.self)), isRequired: true)
    }

    @Test(
        "A malformed policy extension is refused",
        arguments: [
            (identifier: [2, 5, 29, 36], value: [0x30, 3, 0x82, 1, 0]),
            ([2, 5, 29, 36], [0x30, 3, 0x80, 1, 0xff]), ([2, 5, 29, 54], [2, 1]), ([2, 5, 29, 33], [0x30, 0]),
            ([2, 5, 29, 33], [0x30, 12, 0x30, 10, 6, 4, 0x55, 0x1d, 0x20, 0, 6, 2, 0x2b, 9]),
        ] as [(identifier: [UInt], value: [UInt8])])
    func malformed(identifier: [UInt], value: [UInt8]) throws {
        let chain = try TestChain(intermediate: {
            $0.extra = [.init(oid: (try? .init(elements: identifier)) ?? [1, 2], critical: true, value: value[...])]
        })
        #expect(try codes(chain.verdict()) == ["trust.malformed-extension"])
    }

    @Test("An unknown policy qualifier is refused in a critical extension") func qualifiers() throws {
        // The gold policy with the unknown qualifier 1.3.9.9.
        let value: [UInt8] = [0x30, 17, 0x30, 15, 6, 3, 0x2b, 9, 1, 0x30, 8, 0x30, 6, 6, 2, 0x2b, 9, 5, 0]
        for isCritical in [true, false] {
            let chain = try TestChain(leaf: {
                $0.extra = [.init(oid: [2, 5, 29, 32], critical: isCritical, value: value[...])]
            })
            #expect(try codes(chain.verdict()) == (isCritical ? ["trust.malformed-extension"] : []))
        }
    }
}
