// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

struct RevocationListTests {
    static let serial = RevocationFixture.serialNumber
    static let tomorrow = Instant.now + 86400

    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let expected: RevocationStatus
        let change: @Sendable (inout ListRecipe) -> Void
        var testDescription: String { name }
    }

    static let judged: [Case] = [
        Case(name: "an empty list", expected: .good(until: tomorrow)) { _ in },
        Case(name: "another serial number", expected: .good(until: tomorrow)) {
            $0.entries = [.init([0x40, 1, 2]), .init([0x41, 1, 2, 3]), .init([0x40, 1, 2, 3, 0])]
        },
        Case(name: "listed", expected: .revoked(at: RevocationFixture.revokedAt, reason: .unspecified)) {
            $0.entries = [.init([1]), .init(serial), .init([2])]
        },
        Case(name: "listed with a reason", expected: .revoked(at: RevocationFixture.revokedAt, reason: .keyCompromise))
        {
            $0.entries = [.init(serial, reason: 1)]
        },
        Case(name: "on hold", expected: .revoked(at: RevocationFixture.revokedAt, reason: .certificateHold)) {
            $0.entries = [.init(serial, reason: 6)]
        },
        Case(
            name: "listed with an invalidity date",
            expected: .revoked(at: RevocationFixture.revokedAt, reason: .unspecified)
        ) {
            $0.entries = [
                .init(serial, extensions: [Encoding.extensionNumber(24, Encoding.generalizedTime(Instant.now))])
            ]
        },
        Case(
            name: "listed with the other time encoding", expected: .revoked(at: Instant.now - 60, reason: .unspecified)
        ) {
            $0.entries = [.init(serial)]
            $0.entries[0].time = Encoding.generalizedTime(Instant.now - 60)
        },
        Case(name: "version 1 without extensions", expected: .good(until: tomorrow)) {
            $0.version = nil
            $0.number = nil
        },
        Case(name: "from the future", expected: .unusable(.notYetValid)) {
            $0.thisUpdate = Encoding.utcTime(Instant.now + 301)
        },
        Case(name: "from a clock that is slightly ahead", expected: .good(until: tomorrow)) {
            $0.thisUpdate = Encoding.utcTime(Instant.now + 300)
        },
        Case(name: "a delta", expected: .unusable(.deltaList)) {
            $0.extensions = [Encoding.extensionNumber(27, critical: true, [2, 1, 1])]
            $0.entries = [.init(serial, reason: 8)]
        },
        Case(name: "a removal outside a delta list", expected: .unusable(.malformed)) {
            $0.entries = [.init(serial, reason: 8)]
        },
        Case(name: "an entry of another issuer in a direct list", expected: .unusable(.malformed)) {
            let name = (try? DistinguishedName { CommonName("other") }.bytes()) ?? []
            $0.entries = [
                .init(
                    serial,
                    extensions: [
                        Encoding.extensionNumber(29, critical: true, Encoding.sequence(Encoding.tagged(4, name)))
                    ])
            ]
        },
        Case(name: "an unknown extension that is not critical", expected: .good(until: tomorrow)) {
            $0.extensions = [Encoding.extensionNumber(99, [5, 0])]
        },
        Case(name: "another's key", expected: .unusable(.badSignature)) { $0.key = P256.Signing.PrivateKey() },
        Case(name: "another issuer", expected: .absent) { $0.issuer = try? DistinguishedName { CommonName("other") } },
        Case(name: "MD5 with RSA", expected: .unusable(.weakSignature)) {
            $0.innerAlgorithm = Encoding.sequence(
                Encoding.identifier([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x04]), [5, 0])
            $0.outerAlgorithm = $0.innerAlgorithm
        },
        Case(name: "an unknown algorithm", expected: .unusable(.unsupportedAlgorithm)) {
            $0.innerAlgorithm = Encoding.sequence(Encoding.identifier([0x2a, 0x03]))
            $0.outerAlgorithm = $0.innerAlgorithm
        },
        Case(name: "undefined algorithm parameters", expected: .unusable(.unsupportedAlgorithm)) {
            $0.innerAlgorithm = Encoding.sequence(
                Encoding.identifier([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]), [5, 0])
            $0.outerAlgorithm = $0.innerAlgorithm
        },
    ]

    @Test("CRLs are evaluated", arguments: judged)
    func lists(_ one: Case) throws {
        let fixture = try RevocationFixture()
        #expect(try fixture.status(lists: [fixture.list(one.change)]) == one.expected)
    }

    struct Fault: CustomTestStringConvertible, Sendable {
        let name: String
        let problem: RevocationProblem
        let change: @Sendable (inout ListRecipe) -> Void
        var testDescription: String { name }
    }

    /// Formal faults and outdated lists, at which the algorithm of RFC 5280 sections 5.1 to 5.3 stops.
    static let faults: [Fault] = [
        Fault(name: "outdated", problem: .outdated) { $0.nextUpdate = Encoding.utcTime(Instant.now - 1) },
        Fault(name: "years old", problem: .outdated) {
            $0.thisUpdate = Encoding.utcTime(Instant.now - 86400 * 3000)
            $0.nextUpdate = Encoding.utcTime(Instant.now - 86400 * 2990)
        },
        Fault(name: "no next update", problem: .noNextUpdate) { $0.nextUpdate = nil },
        Fault(name: "a malformed next update", problem: .malformed) {
            $0.nextUpdate = Encoding.element(0x17, [0x30])
        },
        Fault(name: "a next update before this update", problem: .malformed) {
            $0.nextUpdate = Encoding.utcTime(Instant.now - 7201)
        },
        // Easy-RSA makes such lists.
        Fault(name: "no number", problem: .listNumber) { $0.number = nil },
        Fault(name: "a critical number", problem: .listNumber) {
            $0.number = Encoding.extensionNumber(20, critical: true, [2, 1, 7])
        },
        Fault(name: "a negative number", problem: .listNumber) {
            $0.number = Encoding.extensionNumber(20, [2, 1, 0x80])
        },
        Fault(name: "a number of 21 octets", problem: .listNumber) {
            $0.number = Encoding.extensionNumber(20, Encoding.integer([UInt8](repeating: 1, count: 21)))
        },
        Fault(name: "a malformed number", problem: .listNumber) {
            $0.number = Encoding.extensionNumber(20, [4, 1, 7])
        },
        Fault(name: "an empty number", problem: .listNumber) { $0.number = Encoding.extensionNumber(20, []) },
        Fault(name: "an unknown critical extension", problem: .unknownCriticalExtension("2.5.29.99")) {
            $0.extensions = [Encoding.extensionNumber(99, critical: true, [5, 0])]
        },
        Fault(name: "an unknown critical extension in another entry", problem: .unknownCriticalExtension("2.5.29.98")) {
            $0.entries.append(.init([9], extensions: [Encoding.extensionNumber(98, critical: true, [5, 0])]))
        },
        Fault(name: "extensions in version 1", problem: .malformed) { $0.version = nil },
        Fault(name: "extensions of entries in version 1", problem: .malformed) {
            ($0.version, $0.number) = (nil, nil)
            $0.entries.append(.init([9], reason: 1))
        },
        Fault(name: "version 1 said", problem: .malformed) { $0.version = [0] },
        Fault(name: "version 3", problem: .malformed) { $0.version = [2] },
        Fault(name: "another algorithm in the signed content", problem: .malformed) {
            $0.innerAlgorithm = Encoding.sequence(
                Encoding.identifier([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x03]))
        },
        Fault(name: "a repeated extension", problem: .malformed) {
            $0.extensions = [Encoding.extensionNumber(20, [2, 1, 8])]
        },
        Fault(name: "an encoded default FALSE", problem: .malformed) {
            $0.extensions = [
                Encoding.sequence(Encoding.identifier([0x55, 0x1d, 99]), [1, 1, 0], Encoding.octets([5, 0]))
            ]
        },
        Fault(name: "a malformed extension", problem: .malformed) { $0.extensions = [[5, 0], [2, 1, 1]] },
        Fault(name: "an element after the last field", problem: .malformed) { $0.trailer = [5, 0] },
        Fault(name: "fractions of a second", problem: .malformed) {
            $0.thisUpdate = Encoding.element(0x18, Array("20260530000000.5Z".utf8))
        },
        Fault(name: "a time without seconds", problem: .malformed) {
            $0.thisUpdate = Encoding.element(0x17, Array("2605300000Z".utf8))
        },
        Fault(name: "a time with a zone", problem: .malformed) {
            $0.thisUpdate = Encoding.element(0x17, Array("260530000000+0100".utf8))
        },
        Fault(name: "another entry with a reason twice", problem: .malformed) {
            $0.entries.append(.init([9], extensions: [1, 4].map { Encoding.extensionNumber(21, [0x0a, 1, $0]) }))
        },
        Fault(name: "another entry with reason 7", problem: .malformed) { $0.entries.append(.init([9], reason: 7)) },
        Fault(name: "another entry without a serial number", problem: .malformed) { $0.entries.append(.init([])) },
        Fault(name: "another entry with a padded serial number", problem: .malformed) {
            $0.entries.append(.init([0, 9]))
        },
        Fault(name: "another entry without a time", problem: .malformed) {
            $0.entries.append(.init([9]))
            $0.entries[$0.entries.count - 1].time = []
        },
        Fault(name: "another entry with a removal outside a delta list", problem: .malformed) {
            $0.entries.append(.init([9], reason: 8))
        },
        Fault(name: "another entry, which is another issuer's, in a direct list", problem: .malformed) {
            let names = Encoding.sequence(RevocationScopeTests.name("other"))
            $0.entries.append(.init([9], extensions: [Encoding.extensionNumber(29, critical: true, names)]))
        },
        Fault(name: "an empty scope", problem: .malformed) {
            $0.extensions = [Encoding.extensionNumber(28, critical: true, Encoding.sequence([]))]
        },
        Fault(name: "a scope of authorities only", problem: .wrongScope) {
            $0.extensions = [Encoding.extensionNumber(28, critical: true, Encoding.sequence([0x82, 1, 0xff]))]
        },
        Fault(name: "a scope of another distribution point", problem: .wrongScope) {
            let scope = RevocationScopeTests.fullName(RevocationScopeTests.url)
            $0.extensions = [Encoding.extensionNumber(28, critical: true, Encoding.sequence(scope))]
        },
        Fault(name: "only some reasons", problem: .partialList) {
            $0.extensions = [Encoding.extensionNumber(28, critical: true, Encoding.sequence([0x83, 2, 1, 0x40]))]
        },
    ]

    @Test("A faulty list does not report good, but still revokes", arguments: faults)
    func faulty(_ one: Fault) throws {
        let fixture = try RevocationFixture()
        for isFirst in [true, false] {
            let revoking = try fixture.list {
                one.change(&$0)
                let entry = ListRecipe.Entry(Self.serial, reason: 1)
                // An entry after another issuer's entry would belong to that issuer (section 5.3.3).
                if isFirst || one.name.contains("another issuer's") {
                    $0.entries.insert(entry, at: 0)
                } else {
                    $0.entries.append(entry)
                }
            }
            #expect(
                try fixture.status(lists: [revoking])
                    == .revoked(at: RevocationFixture.revokedAt, reason: .keyCompromise))
        }
        let silent = try fixture.list(one.change)
        #expect(try fixture.status(lists: [silent]) == .unusable(one.problem))
        // A second valid list still reports good, and a faulty list does not hide a list that revokes.
        #expect(try fixture.status(lists: [silent, fixture.list()]) == .good(until: Self.tomorrow))
        let plain = try fixture.list { $0.entries = [.init(Self.serial)] }
        #expect(
            try fixture.status(lists: [silent, plain])
                == .revoked(at: RevocationFixture.revokedAt, reason: .unspecified))
    }

    static let entries: [Fault] = [
        Fault(name: "reason 7", problem: .malformed) { $0.entries = [.init(serial, reason: 7)] },
        Fault(name: "reason 255", problem: .malformed) { $0.entries = [.init(serial, reason: 255)] },
        Fault(name: "two reasons", problem: .malformed) {
            $0.entries = [.init(serial, extensions: [1, 4].map { Encoding.extensionNumber(21, [0x0a, 1, $0]) })]
        },
        Fault(name: "an undefined reason", problem: .malformed) {
            $0.entries = [.init(serial, extensions: [Encoding.extensionNumber(21, [4, 1, 1])])]
        },
        Fault(name: "a malformed invalidity date", problem: .malformed) {
            $0.entries = [.init(serial, extensions: [Encoding.extensionNumber(24, [5, 0])])]
        },
        Fault(name: "an unknown critical extension", problem: .unknownCriticalExtension("2.5.29.98")) {
            $0.entries = [.init(serial, extensions: [Encoding.extensionNumber(98, critical: true, [5, 0])])]
        },
        Fault(name: "a padded serial number", problem: .malformed) { $0.entries = [.init([0] + serial)] },
        Fault(name: "no time", problem: .malformed) {
            $0.entries = [.init(serial)]
            $0.entries[0].time = []
        },
        Fault(name: "a 31st of June", problem: .malformed) {
            $0.entries = [.init(serial)]
            $0.entries[0].time = Encoding.element(0x17, Array("250631000000Z".utf8))
        },
        Fault(name: "revoked in the future", problem: .malformed) {
            $0.entries = [.init(serial)]
            $0.entries[0].time = Encoding.utcTime(Instant.now + 86400)
        },
        Fault(name: "removed and revoked", problem: .malformed) {
            $0.entries = [.init(serial, reason: 8), .init(serial, reason: 1)]
        },
        Fault(name: "version 1 with a reason", problem: .malformed) {
            ($0.version, $0.number) = (nil, nil)
            $0.entries = [.init(serial, reason: 1)]
        },
    ]

    @Test("A faulty entry still revokes", arguments: entries)
    func faultyEntries(_ one: Fault) throws {
        let fixture = try RevocationFixture()
        guard case .revoked = try fixture.status(lists: [fixture.list(one.change)]) else {
            Issue.record("the entry is not used")
            return
        }
    }

    @Test("A list that is signed with SHA-1 can revoke, but not report good") func weakSignature() throws {
        let fixture = try RevocationFixture()
        let algorithm = Encoding.sequence(Encoding.identifier([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x01]))
        func list(_ entries: [ListRecipe.Entry], by key: P256.Signing.PrivateKey) throws -> [UInt8] {
            let unsigned = try fixture.list {
                ($0.innerAlgorithm, $0.outerAlgorithm, $0.entries) = (algorithm, algorithm, entries)
            }
            let bytes = try #require(SignedParts(unsigned)).signedBytes
            let signature = try key.signature(for: Insecure.SHA1.hash(data: bytes)).derRepresentation
            return Encoding.sequence(bytes, algorithm, Encoding.bits(Array(signature)))
        }
        #expect(try fixture.status(lists: [list([], by: fixture.root.key)]) == .unusable(.weakSignature))
        guard case .revoked = try fixture.status(lists: [list([.init(Self.serial)], by: fixture.root.key)]) else {
            Issue.record("the entry is not used")
            return
        }
        #expect(
            try fixture.status(lists: [list([.init(Self.serial)], by: P256.Signing.PrivateKey())])
                == .unusable(.badSignature))
    }

    @Test(
        "A list from the future, with another key or for attribute certificates does not revoke",
        arguments: [
            Fault(name: "from the future", problem: .notYetValid) {
                $0.thisUpdate = Encoding.utcTime(Instant.now + 301)
            },
            Fault(name: "by another key", problem: .badSignature) { $0.key = P256.Signing.PrivateKey() },
            Fault(name: "for attribute certificates", problem: .attributeList) {
                $0.extensions = [Encoding.extensionNumber(28, critical: true, Encoding.sequence([0x85, 1, 0xff]))]
            },
        ])
    func noEvidence(_ one: Fault) throws {
        let fixture = try RevocationFixture()
        let list = try fixture.list {
            $0.entries = [.init(Self.serial, reason: 1)]
            one.change(&$0)
        }
        #expect(try fixture.status(lists: [list]) == .unusable(one.problem))
        #expect(try fixture.status(lists: [list, fixture.list()]) == .good(until: Self.tomorrow))
        let withoutUse = try RevocationFixture(
            root: .authority("root").with { $0.keyUsage = KeyUsage(keyCertSign: true) })
        let revoking = try withoutUse.list { $0.entries = [.init(Self.serial)] }
        #expect(try withoutUse.status(lists: [revoking]) == .unusable(.signerNotAuthorized))
    }

    @Test("A later list or response that reports good ends a hold, but no other revocation")
    func released() throws {
        let fixture = try RevocationFixture()
        func list(_ reason: UInt8?, at time: Date, until end: Date) throws -> [UInt8] {
            try fixture.list {
                ($0.thisUpdate, $0.nextUpdate) = (Encoding.utcTime(time), Encoding.utcTime(end))
                $0.entries = reason.map { [.init(Self.serial, reason: $0)] } ?? []
            }
        }
        let (before, now) = (Instant.now - 86400, Instant.now)
        let later = try list(nil, at: now - 60, until: Self.tomorrow)
        let response = try fixture.response { $0.thisUpdate = Encoding.generalizedTime(now - 60) }
        for end in [now - 3600, Self.tomorrow] {
            let onHold = try list(6, at: before, until: end)
            #expect(try fixture.status(lists: [onHold, later]) == .good(until: Self.tomorrow))
            #expect(try fixture.status(lists: [later, onHold]) == .good(until: Self.tomorrow))
            #expect(try fixture.status(lists: [onHold], responses: [response]) == .good(until: Self.tomorrow))
            let revoked = RevocationStatus.revoked(at: RevocationFixture.revokedAt, reason: .keyCompromise)
            #expect(try fixture.status(lists: [list(1, at: before, until: end), later]) == revoked)
        }
        // An earlier list does not lift the hold.
        let onHold = try list(6, at: now - 60, until: Self.tomorrow)
        let earlier = try list(nil, at: before, until: Self.tomorrow)
        #expect(
            try fixture.status(lists: [earlier, onHold])
                == .revoked(at: RevocationFixture.revokedAt, reason: .certificateHold))
    }

    @Test(
        "The issuer's key usage must allow CRLs",
        arguments: [
            (KeyUsage(keyCertSign: true, cRLSign: true), nil), (nil, nil),
            (KeyUsage(keyCertSign: true), RevocationProblem.signerNotAuthorized),
        ])
    func keyUsage(usage: KeyUsage?, problem: RevocationProblem?) throws {
        let fixture = try RevocationFixture(root: .authority("root").with { $0.keyUsage = usage })
        let expected = problem.map(RevocationStatus.unusable) ?? .good(until: Self.tomorrow)
        #expect(try fixture.status(lists: [fixture.list()]) == expected)
    }

    @Test("Serial numbers are compared including their leading zero") func serialNumbers() throws {
        let fixture = try RevocationFixture(Recipe().with { $0.serialNumber = [0x80, 1] })
        let list = try fixture.list { $0.entries = [.init([0, 0x80, 1])] }
        #expect(try fixture.status(lists: [list]) == .revoked(at: RevocationFixture.revokedAt, reason: .unspecified))
    }

    @Test("A CRL that revokes takes precedence") func anyRevocation() throws {
        let fixture = try RevocationFixture()
        let revoking = try fixture.list { $0.entries = [.init(Self.serial)] }
        let outdated = try fixture.list { $0.nextUpdate = Encoding.utcTime(Instant.now - 1) }
        let revoked = RevocationStatus.revoked(at: RevocationFixture.revokedAt, reason: .unspecified)
        #expect(try fixture.status(lists: [fixture.list(), outdated, revoking]) == revoked)
        #expect(try fixture.status(lists: [outdated, fixture.list()]) == .good(until: Self.tomorrow))
        #expect(try fixture.status(lists: [revoking], responses: [fixture.response()]) == revoked)
        #expect(try fixture.status() == .absent)
    }

    @Test("The number of signature checks is limited") func budget() throws {
        let fixture = try RevocationFixture()
        let forged = try fixture.list { $0.key = P256.Signing.PrivateKey() }
        let revoking = try fixture.list { $0.entries = [.init(Self.serial)] }
        let forgeries = Array(repeating: forged, count: 8)
        let revoked = RevocationStatus.revoked(at: RevocationFixture.revokedAt, reason: .unspecified)
        #expect(try fixture.status(lists: forgeries.dropLast() + [revoking]) == revoked)
        #expect(try fixture.status(lists: forgeries + [revoking]) == .unusable(.budgetExhausted))
    }
}
