// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

/// Combinations of lists: delta lists, lists for some reasons, and indirect lists (RFC 5280 sections 5.2 and 6.3.3).
struct RevocationCombinationTests {
    private static let serial = RevocationFixture.serialNumber
    private static let good = RevocationStatus.good(until: Instant.now + 86400)
    private static func revoked(_ reason: RevocationReason = .unspecified) -> RevocationStatus {
        .revoked(at: RevocationFixture.revokedAt, reason: reason)
    }

    private static func delta(from base: UInt8, number: UInt8, _ entries: [ListRecipe.Entry]) -> ListRecipe {
        ListRecipe().with {
            $0.number = Encoding.extensionNumber(20, [2, 1, number])
            $0.extensions = [Encoding.extensionNumber(27, critical: true, [2, 1, base])]
            $0.entries = entries
        }
    }

    @Test(
        "A delta list changes its base list",
        arguments: [
            // The base list has number 7; if the Boolean is true, it has put the certificate on hold.
            (false, delta(from: 7, number: 8, [.init(serial, reason: 1)]), revoked(.keyCompromise)),
            (false, delta(from: 5, number: 7, [.init(serial)]), revoked()),
            (false, delta(from: 7, number: 8, [.init([9])]), good),
            (true, delta(from: 7, number: 8, [.init(serial, reason: 8)]), good),
            (true, delta(from: 7, number: 8, [.init([9], reason: 8)]), revoked(.certificateHold)),
            // The delta list removes and revokes the certificate at once, which no valid list does.
            (
                true, delta(from: 7, number: 8, [.init(serial, reason: 8), .init(serial, reason: 1)]),
                revoked(.keyCompromise)
            ),
            (
                true, delta(from: 7, number: 8, [.init(serial, reason: 1), .init(serial, reason: 8)]),
                revoked(.keyCompromise)
            ),
            // The delta list is based on a later list, or is older than the base list.
            (true, delta(from: 8, number: 9, [.init(serial, reason: 8)]), revoked(.certificateHold)),
            (true, delta(from: 5, number: 6, [.init(serial, reason: 8)]), revoked(.certificateHold)),
            // The delta list is outdated, or signed with another key.
            (
                true,
                delta(from: 7, number: 8, [.init(serial, reason: 8)]).with {
                    $0.nextUpdate = Encoding.utcTime(Instant.now - 1)
                }, revoked(.certificateHold)
            ),
            (
                true, delta(from: 7, number: 8, [.init(serial, reason: 8)]).with { $0.key = .init() },
                revoked(.certificateHold)
            ),
        ] as [(Bool, ListRecipe, RevocationStatus)])
    func deltas(isOnHold: Bool, delta: ListRecipe, status: RevocationStatus) throws {
        let fixture = try RevocationFixture()
        let list = try fixture.list { $0.entries = isOnHold ? [.init(Self.serial, reason: 6)] : [] }
        for lists in [[list, try delta.encoded(by: fixture.root)], [try delta.encoded(by: fixture.root), list]] {
            #expect(try fixture.status(lists: lists) == status)
        }
    }

    @Test("Lists for some reasons report good if together they cover all reasons")
    func reasons() throws {
        let fixture = try RevocationFixture()
        func list(_ flags: [UInt8], entries: [ListRecipe.Entry] = []) throws -> [UInt8] {
            try fixture.list {
                let field = Encoding.element(0x83, flags)
                $0.extensions = [Encoding.extensionNumber(28, critical: true, Encoding.sequence(field))]
                $0.entries = entries
            }
        }
        // The first list covers keyCompromise and cACompromise, the second all other reasons.
        let (some, others) = (try list([5, 0x60]), try list([7, 0x1F, 0x80]))
        #expect(try fixture.status(lists: [some]) == .unusable(.partialList))
        #expect(try fixture.status(lists: [some, some]) == .unusable(.partialList))
        #expect(try fixture.status(lists: [some, others]) == Self.good)
        let revoking = try list([5, 0x60], entries: [.init(Self.serial, reason: 1)])
        #expect(try fixture.status(lists: [revoking]) == Self.revoked(.keyCompromise))
        #expect(try fixture.status(lists: [others, revoking]) == Self.revoked(.keyCompromise))
    }

    @Test("An entry of an indirect list applies to the issuer that it or a preceding entry names")
    func indirectEntries() throws {
        let fixture = try RevocationFixture()
        func entry(_ serial: [UInt8], of issuer: String?) -> ListRecipe.Entry {
            guard let issuer else { return .init(serial) }
            let names = Encoding.sequence(RevocationScopeTests.name(issuer))
            return .init(serial, extensions: [Encoding.extensionNumber(29, critical: true, names)])
        }
        func status(_ entries: [ListRecipe.Entry]) throws -> RevocationStatus {
            let field = Encoding.sequence([0x84, 1, 0xff])
            let scope = Encoding.extensionNumber(28, critical: true, field)
            return try fixture.status(lists: [
                try fixture.list { ($0.extensions, $0.entries) = ([scope], entries) }
            ])
        }
        #expect(try status([entry(Self.serial, of: nil)]) == Self.revoked())
        #expect(try status([entry([9], of: "other"), entry(Self.serial, of: nil)]) == Self.good)
        #expect(
            try status([entry([9], of: "other"), entry([8], of: "root"), entry(Self.serial, of: nil)]) == Self.revoked()
        )
        #expect(try status([entry(Self.serial, of: "other")]) == Self.good)
    }

    @Test("The latest of several delta lists applies, and one that revokes needs no base list")
    func latestDelta() throws {
        let fixture = try RevocationFixture()
        let list = try fixture.list { $0.entries = [.init(Self.serial, reason: 6)] }
        let removing = try Self.delta(from: 7, number: 8, [.init(Self.serial, reason: 8)]).encoded(by: fixture.root)
        let revoking = try Self.delta(from: 7, number: 9, [.init(Self.serial, reason: 1)]).encoded(by: fixture.root)
        for lists in [[list, removing, revoking], [revoking, removing, list]] {
            #expect(try fixture.status(lists: lists) == Self.revoked(.keyCompromise))
        }
        let ofLaterBase = try Self.delta(from: 9, number: 12, [.init(Self.serial)]).encoded(by: fixture.root)
        #expect(try fixture.status(lists: [fixture.list(), ofLaterBase]) == Self.revoked())
        let outdated = try fixture.list { $0.nextUpdate = Encoding.utcTime(Instant.now - 1) }
        #expect(try fixture.status(lists: [outdated, revoking]) == Self.revoked(.keyCompromise))
        #expect(try fixture.status(lists: [removing]) == .unusable(.deltaList))
    }

    @Test("A delta list for another base list does not hide one that revokes")
    func laterBase() throws {
        let fixture = try RevocationFixture()
        let lists = [
            try fixture.list(), try Self.delta(from: 8, number: 9, [.init(Self.serial)]).encoded(by: fixture.root),
            try Self.delta(from: 10, number: 11, []).encoded(by: fixture.root),
        ]
        #expect(try fixture.status(lists: lists) == Self.revoked())
    }

    @Test("A delta list by another signer does not change the issuer's list")
    func deltaByAnother() throws {
        let chain = try TestChain()
        let signer = try chain.root.issue(Self.signer(named: chain.intermediate))
        let serial = Array(chain.leaf.certificate.serialNumber.bytes)
        let onHold = try ListRecipe().with { $0.entries = [.init(serial, reason: 6)] }.encoded(by: chain.intermediate)
        let removing = try Self.delta(from: 7, number: 8, [.init(serial, reason: 8)]).encoded(by: signer)
        let ofRoot = try ListRecipe().encoded(by: chain.root)
        #expect(try codes(chain, with: [signer.certificate], [ofRoot, onHold, removing]) == ["trust.revoked"])
        let revoking = try Self.delta(from: 7, number: 8, [.init(serial)]).encoded(by: chain.intermediate)
        let hiding = try Self.delta(from: 1, number: 99, []).encoded(by: signer)
        let lists = [ofRoot, try ListRecipe().encoded(by: chain.intermediate), hiding, revoking]
        #expect(try codes(chain, with: [signer.certificate], lists) == ["trust.revoked"])
    }

    /// Returns the failure codes of a chain of leaf, intermediate and root, under a policy that requires every status.
    private func codes(
        _ chain: TestChain, with others: [Certificate], _ lists: [[UInt8]], distrusted: Set<Certificate> = []
    ) throws -> [String] {
        let evidence = RevocationEvidence(lists: try lists.map { try CertificateRevocationList(derEncoded: $0) })
        let policy = TrustPolicy(
            anchors: .only([chain.root.certificate]), distrusted: distrusted, revocation: .hardFail)
        let verdict = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            try #require(PresentedChain(chain.presented + others)), for: try HostName("a.test"), at: Instant.now,
            with: TrustEvidence(revocation: evidence))
        return CertificateTrustTests.codes(verdict)
    }

    private static func signer(named authority: TestAuthority) -> Recipe {
        Recipe.authority(commonName(authority)).with {
            $0.constraints = .notCertificateAuthority
            $0.keyUsage = KeyUsage(cRLSign: true)
            $0.serialNumber = [0x41, 9]
        }
    }

    private static func commonName(_ authority: TestAuthority) -> String {
        (authority.certificate.subject.first?.first?.value).map { "\($0)" } ?? ""
    }

    @Test("An authority cannot undo its own revocation with a list by itself or by its delegate")
    func ownRevocation() throws {
        let chain = try TestChain()
        let byIntermediate = try chain.intermediate.issue(Self.signer(named: chain.root))
        let ofIntermediate = try ListRecipe().encoded(by: chain.intermediate)
        for signer in [byIntermediate, chain.intermediate] {
            let forged = try ListRecipe().with { $0.issuer = chain.root.certificate.subject }.encoded(by: signer)
            #expect(
                try codes(chain, with: [byIntermediate.certificate], [ofIntermediate, forged])
                    == ["trust.revocation-unknown"])
        }
        // The root has issued the signer's certificate, but only the signer's own list reports it as good.
        let byRoot = try chain.root.issue(Self.signer(named: chain.root))
        #expect(
            try codes(
                chain, with: [byRoot.certificate], [ofIntermediate, try ListRecipe().encoded(by: byRoot)])
                == ["trust.revocation-unknown"])
    }

    @Test("Lists by a distrusted signer and by another authority of the same name are ignored")
    func otherSigners() throws {
        let chain = try TestChain()
        let ofRoot = try ListRecipe().encoded(by: chain.root)
        let signer = try chain.root.issue(Self.signer(named: chain.intermediate))
        let list = try ListRecipe().encoded(by: signer)
        #expect(try codes(chain, with: [signer.certificate], [ofRoot, list]) == [])
        #expect(
            try codes(chain, with: [signer.certificate], [ofRoot, list], distrusted: [signer.certificate])
                == ["trust.revocation-unknown"])
        let namesake = try chain.root.issue(
            .authority(Self.commonName(chain.intermediate)).with { $0.serialNumber = [0x41, 8] })
        #expect(
            try codes(chain, with: [namesake.certificate], [ofRoot, try ListRecipe().encoded(by: namesake)])
                == ["trust.revocation-unknown"])
    }

    @Test("The issuer's own list is read however many certificates pose as signers")
    func impostors() throws {
        let chain = try TestChain()
        let impostor = try TestAuthority(root: .authority(Self.commonName(chain.root)))
        let impostors = try (0..<20).map { number in
            try impostor.issue(Self.signer(named: chain.intermediate).with { $0.serialNumber = [0x42, number] })
                .certificate
        }
        let signer = try chain.root.issue(Self.signer(named: chain.intermediate))
        let revoking = try ListRecipe().with {
            $0.entries = [.init(Array(chain.leaf.certificate.serialNumber.bytes))]
        }
        .encoded(by: chain.intermediate)
        let lists = [
            try ListRecipe().encoded(by: signer), try ListRecipe().encoded(by: chain.root), revoking,
        ]
        #expect(try codes(chain, with: impostors + [signer.certificate], lists) == ["trust.revoked"])
        // If the budget does not allow all signers to be checked, the status is unknown.
        #expect(
            try codes(chain, with: impostors + [signer.certificate], Array(lists.prefix(2)))
                == ["trust.revocation-unknown"])
    }

    private enum Signer: CaseIterable {
        /// The signer has another key of the authority, in a certificate from the same root.
        case otherKey
        /// The signer's certificate does not allow it to sign lists.
        case withoutUse
        /// The root has revoked the signer's certificate.
        case revoked
        /// The signer has the same name, but its certificate is from another root, which is also an anchor.
        case otherRoot
        case expired
    }

    @Test("Another key of the issuer may sign lists if it has a path to the same anchor", arguments: Signer.allCases)
    private func signers(_ kind: Signer) throws {
        let chain = try TestChain()
        let otherRoot = try TestAuthority(root: .authority("other root"))
        let name = try #require(chain.intermediate.certificate.subject.first?.first?.value)
        var recipe = Recipe.authority("\(name)")
        recipe.serialNumber = [0x41, 7]
        recipe.constraints = .notCertificateAuthority
        recipe.keyUsage = kind == .withoutUse ? KeyUsage(digitalSignature: true) : KeyUsage(cRLSign: true)
        if kind == .expired { recipe.notAfter = Instant.now - 60 }
        let signer = try (kind == .otherRoot ? otherRoot : chain.root).issue(recipe)
        let ofRoot = ListRecipe().with { if kind == .revoked { $0.entries = [.init([0x41, 7])] } }
        let lists = [
            try ofRoot.encoded(by: chain.root), try ListRecipe().encoded(by: otherRoot),
            try ListRecipe().encoded(by: signer),
        ]
        let evidence = RevocationEvidence(lists: try lists.map { try CertificateRevocationList(derEncoded: $0) })
        let policy = TrustPolicy(
            anchors: .only([chain.root.certificate, otherRoot.certificate]), revocation: .hardFail)
        let verdict = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            try #require(PresentedChain(chain.presented + [signer.certificate])), for: try HostName("a.test"),
            at: Instant.now, with: TrustEvidence(revocation: evidence))
        #expect(CertificateTrustTests.codes(verdict) == (kind == .otherKey ? [] : ["trust.revocation-unknown"]))
    }

    @Test(
        "A list by another key of the issuer revokes unless the key is revoked, of another root, or not for lists",
        arguments: Signer.allCases)
    private func revokingSigners(_ kind: Signer) throws {
        let chain = try TestChain()
        let otherRoot = try TestAuthority(root: .authority("other root"))
        let recipe = Self.signer(named: chain.intermediate).with {
            if kind == .withoutUse { $0.keyUsage = KeyUsage(digitalSignature: true) }
            if kind == .expired { $0.notAfter = Instant.now - 60 }
        }
        let signer = try (kind == .otherRoot ? otherRoot : chain.root).issue(recipe)
        let revoking = try ListRecipe().with {
            $0.entries = [.init(Array(chain.leaf.certificate.serialNumber.bytes))]
        }.encoded(by: signer)
        let ofRoot = try ListRecipe().with { $0.entries = [.init([0x41, 9])] }.encoded(by: chain.root)
        // The signer's status is unknown unless the root has revoked it.
        let lists = kind == .revoked ? [ofRoot, revoking] : [revoking]
        let evidence = RevocationEvidence(lists: try lists.map { try CertificateRevocationList(derEncoded: $0) })
        for policy in [TrustPolicy.Revocation.whereDemanded, .softFail] {
            let evaluator = TrustEvaluator(
                policy: TrustPolicy(
                    anchors: .only([chain.root.certificate, otherRoot.certificate]), revocation: policy),
                systemAnchors: AnchorStore([]))
            let verdict = evaluator.evaluate(
                try #require(PresentedChain(chain.presented + [signer.certificate])), for: try HostName("a.test"),
                at: Instant.now, with: TrustEvidence(revocation: evidence))
            let isUsed = kind == .otherKey || kind == .expired
            #expect(CertificateTrustTests.codes(verdict) == (isUsed ? ["trust.revoked"] : []))
        }
    }

    @Test("A faulty delta list can revoke, but not lift a hold")
    func faultyDeltas() throws {
        let fixture = try RevocationFixture()
        let list = try fixture.list { $0.entries = [.init(Self.serial, reason: 6)] }
        let faults: [(inout ListRecipe) -> Void] = [
            { $0.nextUpdate = Encoding.utcTime(Instant.now - 1) }, { $0.nextUpdate = nil }, { $0.number = nil },
            { $0.extensions.append(Encoding.extensionNumber(99, critical: true, [5, 0])) },
        ]
        for fault in faults {
            let revoking = Self.delta(from: 7, number: 8, [.init(Self.serial, reason: 1)]).with(fault)
            #expect(
                try fixture.status(lists: [fixture.list(), revoking.encoded(by: fixture.root)])
                    == Self.revoked(.keyCompromise))
            #expect(try fixture.status(lists: [revoking.encoded(by: fixture.root)]) == Self.revoked(.keyCompromise))
            let removing = Self.delta(from: 7, number: 8, [.init(Self.serial, reason: 8)]).with(fault)
            #expect(
                try fixture.status(lists: [list, removing.encoded(by: fixture.root)]) == Self.revoked(.certificateHold))
        }
    }

    @Test("An outdated or unmarked indirect list still revokes the certificates of another issuer that it names")
    func faultyIndirectLists() throws {
        let names = Encoding.sequence(RevocationScopeTests.name("root"))
        let point = Encoding.sequence(Encoding.tagged(2, RevocationScopeTests.name("lister")))
        let fixture = try RevocationFixture(
            Recipe().with {
                $0.serialNumber = Self.serial
                $0.extra = [.init(oid: [2, 5, 29, 31], critical: false, value: Encoding.sequence(point)[...])]
            })
        let lister = try fixture.root.issue(
            .authority("lister").with {
                $0.constraints = .notCertificateAuthority
                $0.keyUsage = KeyUsage(cRLSign: true)
                $0.serialNumber = [0x41, 9]
            })
        let entry = ListRecipe.Entry(
            Self.serial, extensions: [Encoding.extensionNumber(29, critical: true, names)])
        let mark = Encoding.extensionNumber(28, critical: true, Encoding.sequence([0x84, 1, 0xff]))
        for (scope, isOld) in [([mark], false), ([mark], true), ([], false)] {
            let list = try ListRecipe().with {
                ($0.extensions, $0.entries) = (scope, [entry])
                if isOld { $0.nextUpdate = Encoding.utcTime(Instant.now - 1) }
            }.encoded(by: lister)
            let evidence = RevocationEvidence(lists: [try CertificateRevocationList(derEncoded: list)])
            let verdict = TrustEvaluator(
                policy: TrustPolicy(anchors: .only([fixture.root.certificate])), systemAnchors: AnchorStore([])
            ).evaluate(
                try #require(PresentedChain([fixture.server.certificate, lister.certificate])),
                for: try HostName("a.test"), at: Instant.now, with: TrustEvidence(revocation: evidence))
            #expect(CertificateTrustTests.codes(verdict) == ["trust.revoked"], "\(scope.count) \(isOld)")
        }
    }
}
