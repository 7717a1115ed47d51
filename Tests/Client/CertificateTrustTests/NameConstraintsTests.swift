// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

struct NameConstraintsTests {
    /// Evaluates a leaf with the given names, issued by an intermediate with the given constraints.
    private func codesUnder(
        permitted: [GeneralName] = [], excluded: [GeneralName] = [], names: [GeneralName], commonName: String = "server"
    ) throws -> [String] {
        try codes(verdictUnder(permitted: permitted, excluded: excluded, names: names, commonName: commonName))
    }

    private func verdictUnder(
        permitted: [GeneralName] = [], excluded: [GeneralName] = [], names: [GeneralName], commonName: String = "server"
    ) throws -> Verdict {
        let value = try DER.Serializer.constraints(permitted: permitted, excluded: excluded)
        let `extension` = Certificate.Extension(
            oid: .X509ExtensionID.nameConstraints, critical: true, value: value[...])
        let chain = try TestChain(
            intermediate: { $0.extra = [`extension`] },
            leaf: { ($0.names, $0.commonName) = ([.dnsName("a.test")] + names, commonName) })
        return try chain.verdict()
    }

    /// `isInside` states whether a name is allowed if the subtree is the only permitted one, `isOutside` whether it is
    /// allowed if the subtree is excluded.
    @Test(
        "A name is inside or outside a subtree (RFC 5280 section 4.2.1.10)",
        arguments: [
            (name: .dnsName("b.x.test"), subtree: .dnsName("x.test"), isInside: true, isOutside: false),
            (name: .dnsName("x.test"), subtree: .dnsName("x.test"), isInside: true, isOutside: false),
            (name: .dnsName("X.TEST"), subtree: .dnsName("x.Test"), isInside: true, isOutside: false),
            (name: .dnsName("ax.test"), subtree: .dnsName("x.test"), isInside: false, isOutside: true),
            (name: .dnsName("*.x.test"), subtree: .dnsName("x.test"), isInside: true, isOutside: false),
            // A wildcard that covers names inside and outside of a subtree is allowed in neither case.
            (name: .dnsName("*.x.test"), subtree: .dnsName("b.x.test"), isInside: false, isOutside: false),
            (name: .dnsName("b.test"), subtree: .dnsName(""), isInside: true, isOutside: false),
            (
                name: .address(10, 1, 2, 3), subtree: .address(10, 0, 0, 0, 255, 0, 0, 0), isInside: true,
                isOutside: false
            ),
            (
                name: .address(11, 1, 2, 3), subtree: .address(10, 0, 0, 0, 255, 0, 0, 0), isInside: false,
                isOutside: true
            ),
            (name: .address(10, 1), subtree: .address(10, 0, 0, 0, 255, 0, 0, 0), isInside: false, isOutside: false),
            (name: .dnsName("b.x.test"), subtree: .dnsName(".x.test"), isInside: true, isOutside: false),
            (name: .dnsName("*.x.test"), subtree: .dnsName(".x.test"), isInside: true, isOutside: false),
            (name: .dnsName("bx.test"), subtree: .dnsName(".x.test"), isInside: false, isOutside: true),
            // The peers do not take the domain itself, and its exclusion may have been intended.
            (name: .dnsName("X.test"), subtree: .dnsName(".x.test"), isInside: false, isOutside: false),
            (name: .rfc822Name("u@x.test"), subtree: .rfc822Name("x.test"), isInside: true, isOutside: false),
            // Constraints on mailboxes apply to internationalized ones (RFC 9598 section 6).
            (name: .mailbox("ü@x.test"), subtree: .rfc822Name("x.test"), isInside: true, isOutside: false),
            (name: .mailbox("ü@b.x.test"), subtree: .rfc822Name(".X.test"), isInside: true, isOutside: false),
            (name: .mailbox("ü@y.test"), subtree: .rfc822Name("x.test"), isInside: false, isOutside: true),
            (name: .mailbox("ü@ü.test"), subtree: .rfc822Name("x.test"), isInside: false, isOutside: false),
            (name: .mailbox("ü@x.test"), subtree: .rfc822Name("u@x.test"), isInside: false, isOutside: true),
            (name: .mailbox("u@x.test"), subtree: .rfc822Name("u@x.test"), isInside: false, isOutside: false),
            (name: .mailbox("x.test"), subtree: .rfc822Name("x.test"), isInside: false, isOutside: false),
            // A local part in ASCII belongs into an rfc822Name.
            (name: .mailbox("u@x.test"), subtree: .rfc822Name("x.test"), isInside: false, isOutside: false),
            (name: .mailbox("ü@y.test@x.test"), subtree: .rfc822Name("x.test"), isInside: false, isOutside: false),
            (name: .mailbox("ü@x.test"), subtree: .mailbox("ü@x.test"), isInside: false, isOutside: false),
            (name: .principal("u@x.test"), subtree: .principal("x.test"), isInside: false, isOutside: false),
            (name: .rfc822Name("u@b.x.test"), subtree: .rfc822Name("x.test"), isInside: false, isOutside: true),
            (name: .rfc822Name("u@b.x.test"), subtree: .rfc822Name(".x.test"), isInside: true, isOutside: false),
            (name: .rfc822Name("u@x.test"), subtree: .rfc822Name(".x.test"), isInside: false, isOutside: true),
            (name: .rfc822Name("u@X.test"), subtree: .rfc822Name("u@x.test"), isInside: true, isOutside: false),
            (name: .rfc822Name("U@x.test"), subtree: .rfc822Name("u@x.test"), isInside: false, isOutside: true),
            (name: .rfc822Name("u@v@x.test"), subtree: .rfc822Name("x.test"), isInside: false, isOutside: false),
            (name: .uri("https://u@x.test:1/p"), subtree: .uri("x.test"), isInside: true, isOutside: false),
            (name: .uri("https://b.x.test/"), subtree: .uri("x.test"), isInside: false, isOutside: true),
            (name: .uri("https://b.x.test?x"), subtree: .uri(".x.test"), isInside: true, isOutside: false),
            (name: .uri("https://[::1]/"), subtree: .uri("x.test"), isInside: false, isOutside: false),
            (name: .uri("urn:x.test"), subtree: .uri("x.test"), isInside: false, isOutside: false),
            (name: .registeredID([1, 2, 3]), subtree: .registeredID([1, 2, 3]), isInside: false, isOutside: false),
        ] as [(name: GeneralName, subtree: GeneralName, isInside: Bool, isOutside: Bool)])
    func subtrees(name: GeneralName, subtree: GeneralName, isInside: Bool, isOutside: Bool) throws {
        let permitted = [subtree, .dnsName("a.test")]
        #expect(try codesUnder(permitted: permitted, names: [name]) == (isInside ? [] : ["trust.name-constraints"]))
        if case .dnsName("") = subtree { return }
        #expect(try codesUnder(excluded: [subtree], names: [name]) == (isOutside ? [] : ["trust.name-constraints"]))
    }

    @Test("Constraints on one kind of name do not apply to others") func otherKinds() throws {
        let names: [GeneralName] = [
            .address(10, 1, 2, 3), .rfc822Name("u@x.test"), .uri("https://x.test/"), .principal("u@x.test"),
        ]
        #expect(try codesUnder(excluded: [.mailbox("x.test"), .registeredID([1, 2])], names: names) == [])
        #expect(try codesUnder(permitted: [.dnsName("test")], names: names) == [])
        #expect(try codesUnder(permitted: [.rfc822Name("x.test")], names: names) == [])
    }

    @Test("Directory name constraints apply to the subject and to directory names") func directoryNames() throws {
        func names(_ organization: String, _ common: String? = nil) throws -> GeneralName {
            let first = try DistinguishedName { CommonName(organization) }
            guard let common else { return .directoryName(first) }
            return .directoryName(DistinguishedName(Array(first) + Array(try DistinguishedName { CommonName(common) })))
        }
        #expect(try codesUnder(permitted: [names("server")], names: []) == [])
        #expect(try codesUnder(permitted: [names("SERVER")], names: []) == [])
        #expect(try codesUnder(permitted: [names("other")], names: []) == ["trust.name-constraints"])
        #expect(try codesUnder(permitted: [names("server", "deeper")], names: []) == ["trust.name-constraints"])
        #expect(try codesUnder(permitted: [names("server")], names: [names("server", "deeper")]) == [])
        #expect(try codesUnder(excluded: [names("server")], names: []) == ["trust.name-constraints"])
        #expect(try codesUnder(excluded: [names("other")], names: []) == [])
    }

    @Test(
        "A malformed constraint is refused",
        arguments: [
            .dnsName("."), .dnsName("..x.test"), .dnsName("*.x.test"), .dnsName("x..test"), .address(10, 0, 0, 0),
            .address(10, 0, 0, 0, 255, 0, 255, 0), .address(10, 0, 0, 0, 0xf5, 0, 0, 0), .rfc822Name("@x.test"),
            .rfc822Name("u@@x.test"), .uri("https://x.test"),
        ] as [GeneralName])
    func malformed(subtree: GeneralName) throws {
        #expect(try codesUnder(permitted: [.dnsName("test"), subtree], names: []) == ["trust.malformed-extension"])
        #expect(try codesUnder(excluded: [subtree], names: []) == ["trust.malformed-extension"])
    }

    @Test("Empty name constraints restrict nothing") func empty() throws {
        #expect(try codesUnder(names: []) == [])
    }

    @Test("The number of comparisons is limited, and the failure states the bound") func budget() throws {
        let names = (0..<1024).map { GeneralName.dnsName("n\($0).test") }
        #expect(try codesUnder(permitted: [.dnsName("test")], names: names) == [])
        let excluded = (0..<1024).map { GeneralName.dnsName("x\($0).test") }
        #expect(try codesUnder(excluded: excluded, names: []) == [])
        #expect(try codesUnder(excluded: excluded, names: names) == ["trust.budget-exhausted"])
        #expect(
            try codesUnder(
                permitted: [.dnsName("test")], excluded: Array(excluded[..<500]), names: Array(names[..<500])) == [])
        let failure = try #require(verdictUnder(excluded: excluded, names: names).failure)
        guard case .budgetExhausted(.nameComparisons, allowed: 262_144, let met) = failure else {
            Issue.record("\(failure)")
            return
        }
        #expect(met > 1_000_000 && failure.explanation.message.contains("\(met) comparisons"))
        #expect(failure.explanation.message.contains("the bound is 262144"))
    }

    @Test("182 names under 182 constraints are compared", arguments: [true, false]) func manyNames(isInside: Bool)
        throws
    {
        let names = (0..<182).map { GeneralName.dnsName("a.n\($0).test") }
        var permitted = (0..<182).map { GeneralName.dnsName("n\($0).test") }
        if !isInside { permitted[181] = .dnsName("other.test") }
        permitted.append(.dnsName("a.test"))
        #expect(try codesUnder(permitted: permitted, names: names) == (isInside ? [] : ["trust.name-constraints"]))
    }
}

extension GeneralName {
    static func address(_ octets: UInt8...) -> Self { .ipAddress(ASN1OctetString(contentBytes: octets[...])) }

    static func uri(_ text: String) -> Self { .uniformResourceIdentifier(text) }

    /// An internationalized mailbox (RFC 9598).
    static func mailbox(_ text: String) -> Self { other([1, 3, 6, 1, 5, 5, 7, 8, 9], text) }

    /// A user principal name of Microsoft.
    static func principal(_ text: String) -> Self { other([1, 3, 6, 1, 4, 1, 311, 20, 2, 3], text) }

    private static func other(_ type: ASN1ObjectIdentifier, _ text: String) -> Self {
        .otherName(OtherName(typeID: type, value: try? ASN1Any(erasing: ASN1UTF8String(text))))
    }
}

extension DER.Serializer {
    /// Encodes constraints that swift-certificates would not write.
    static func constraints(permitted: [GeneralName], excluded: [GeneralName]) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { outer in
            for (number, names) in [(UInt(0), permitted), (1, excluded)] where !names.isEmpty {
                let tag = ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
                try outer.appendConstructedNode(identifier: tag) { subtrees in
                    for name in names {
                        try subtrees.appendConstructedNode(identifier: .sequence) { try $0.serialize(name) }
                    }
                }
            }
        }
        return serializer.serializedBytes
    }
}
