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
    static let serial = RevocationBench.serialNumber
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
        Case(name: "listed", expected: .revoked(at: RevocationBench.revokedAt, reason: .unspecified)) {
            $0.entries = [.init([1]), .init(serial), .init([2])]
        },
        Case(name: "listed with a reason", expected: .revoked(at: RevocationBench.revokedAt, reason: .keyCompromise)) {
            $0.entries = [.init(serial, reason: 1)]
        },
        Case(name: "on hold", expected: .revoked(at: RevocationBench.revokedAt, reason: .certificateHold)) {
            $0.entries = [.init(serial, reason: 6)]
        },
        Case(
            name: "listed with an invalidity date",
            expected: .revoked(at: RevocationBench.revokedAt, reason: .unspecified)
        ) {
            $0.entries = [
                .init(serial, extensions: [Encoding.extensionNumber(24, Encoding.generalizedTime(Instant.now))])
            ]
        },
        Case(name: "listed in the time of another form", expected: .revoked(at: Instant.now - 60, reason: .unspecified))
        {
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
        Case(name: "from a clock that is a little ahead", expected: .good(until: tomorrow)) {
            $0.thisUpdate = Encoding.utcTime(Instant.now + 300)
        },
        Case(name: "outdated", expected: .unusable(.outdated)) { $0.nextUpdate = Encoding.utcTime(Instant.now - 1) },
        Case(name: "no next update", expected: .unusable(.noNextUpdate)) { $0.nextUpdate = nil },
        Case(name: "no number", expected: .unusable(.listNumber)) { $0.number = nil },
        Case(name: "a critical number", expected: .unusable(.listNumber)) {
            $0.number = Encoding.extensionNumber(20, critical: true, [2, 1, 7])
        },
        Case(name: "a negative number", expected: .unusable(.listNumber)) {
            $0.number = Encoding.extensionNumber(20, [2, 1, 0x80])
        },
        Case(name: "a number of 21 octets", expected: .unusable(.listNumber)) {
            $0.number = Encoding.extensionNumber(20, Encoding.integer([UInt8](repeating: 1, count: 21)))
        },
        Case(name: "a number that is none", expected: .unusable(.listNumber)) {
            $0.number = Encoding.extensionNumber(20, [4, 1, 7])
        },
        Case(name: "a delta", expected: .unusable(.deltaList)) {
            $0.extensions = [Encoding.extensionNumber(27, critical: true, [2, 1, 1])]
            $0.entries = [.init(serial, reason: 8)]
        },
        Case(name: "a removal outside of a delta", expected: .unusable(.malformed)) {
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
        Case(name: "an unknown critical extension", expected: .unusable(.unknownCriticalExtension("2.5.29.99"))) {
            $0.extensions = [Encoding.extensionNumber(99, critical: true, [5, 0])]
        },
        Case(name: "an unknown extension that is not critical", expected: .good(until: tomorrow)) {
            $0.extensions = [Encoding.extensionNumber(99, [5, 0])]
        },
        Case(
            name: "an unknown critical extension in any entry",
            expected: .unusable(.unknownCriticalExtension("2.5.29.98"))
        ) {
            $0.entries = [.init([9], extensions: [Encoding.extensionNumber(98, critical: true, [5, 0])])]
        },
        Case(name: "another's key", expected: .unusable(.badSignature)) { $0.key = P256.Signing.PrivateKey() },
        Case(name: "another issuer", expected: .absent) { $0.issuer = try? DistinguishedName { CommonName("other") } },
        Case(name: "SHA-1", expected: .unusable(.weakSignature)) {
            $0.innerAlgorithm = Encoding.sequence(Encoding.identifier([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x01]))
            $0.outerAlgorithm = $0.innerAlgorithm
        },
        Case(name: "MD5 with RSA", expected: .unusable(.weakSignature)) {
            $0.innerAlgorithm = Encoding.sequence(
                Encoding.identifier([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x04]), [5, 0])
            $0.outerAlgorithm = $0.innerAlgorithm
        },
        Case(name: "an unknown algorithm", expected: .unusable(.unsupportedAlgorithm)) {
            $0.innerAlgorithm = Encoding.sequence(Encoding.identifier([0x2a, 0x03]))
            $0.outerAlgorithm = $0.innerAlgorithm
        },
        Case(name: "parameters where there are none", expected: .unusable(.unsupportedAlgorithm)) {
            $0.innerAlgorithm = Encoding.sequence(
                Encoding.identifier([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]), [5, 0])
            $0.outerAlgorithm = $0.innerAlgorithm
        },
    ]

    @Test("CRLs are evaluated", arguments: judged)
    func lists(_ one: Case) throws {
        let bench = try RevocationBench()
        #expect(try bench.status(lists: [bench.list(one.change)]) == one.expected)
    }

    @Test(
        "The issuer's key usage must allow CRLs",
        arguments: [
            (KeyUsage(keyCertSign: true, cRLSign: true), nil), (nil, nil),
            (KeyUsage(keyCertSign: true), RevocationProblem.signerNotAuthorized),
        ])
    func keyUsage(usage: KeyUsage?, problem: RevocationProblem?) throws {
        let bench = try RevocationBench(root: .authority("root").with { $0.keyUsage = usage })
        let expected = problem.map(RevocationStatus.unusable) ?? .good(until: Self.tomorrow)
        #expect(try bench.status(lists: [bench.list()]) == expected)
    }

    @Test("Serial numbers are compared with their leading zero") func serialNumbers() throws {
        let bench = try RevocationBench(Recipe().with { $0.serialNumber = [0x80, 1] })
        let list = try bench.list { $0.entries = [.init([0, 0x80, 1])] }
        #expect(try bench.status(lists: [list]) == .revoked(at: RevocationBench.revokedAt, reason: .unspecified))
    }

    @Test("One CRL that revokes decides") func anyRevocation() throws {
        let bench = try RevocationBench()
        let revoking = try bench.list { $0.entries = [.init(Self.serial)] }
        let outdated = try bench.list { $0.nextUpdate = Encoding.utcTime(Instant.now - 1) }
        let revoked = RevocationStatus.revoked(at: RevocationBench.revokedAt, reason: .unspecified)
        #expect(try bench.status(lists: [bench.list(), outdated, revoking]) == revoked)
        #expect(try bench.status(lists: [outdated, bench.list()]) == .good(until: Self.tomorrow))
        #expect(try bench.status(lists: [revoking], responses: [bench.response()]) == revoked)
        #expect(try bench.status() == .absent)
    }

    @Test("The number of signature checks is limited") func budget() throws {
        let bench = try RevocationBench()
        let forged = try bench.list { $0.key = P256.Signing.PrivateKey() }
        let revoking = try bench.list { $0.entries = [.init(Self.serial)] }
        let forgeries = Array(repeating: forged, count: 8)
        let revoked = RevocationStatus.revoked(at: RevocationBench.revokedAt, reason: .unspecified)
        #expect(try bench.status(lists: forgeries.dropLast() + [revoking]) == revoked)
        #expect(try bench.status(lists: forgeries + [revoking]) == .unusable(.budgetExhausted))
    }
}
