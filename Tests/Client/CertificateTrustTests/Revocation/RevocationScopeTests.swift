// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

/// Lists that cover only some of the issuer's certificates (RFC 5280 section 5.2.5).
struct RevocationScopeTests {
    static let good = RevocationStatus.good(until: Instant.now + 86400)
    static let url = Encoding.element(0x86, Array("http://a.test/1.crl".utf8))
    static let otherURL = Encoding.element(0x86, Array("http://a.test/2.crl".utf8))
    static let relative: [UInt8] = Encoding.sequence(Encoding.identifier([0x55, 4, 3]), Encoding.element(0x0c, [0x61]))

    static let otherRelative = Array(relative.dropLast()) + [0x62]

    static func fullName(_ names: [UInt8]...) -> [UInt8] {
        Encoding.tagged(0, Encoding.tagged(0, names.flatMap(\.self)))
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        /// The content of the list's IssuingDistributionPoint.
        let scope: [UInt8]
        /// The content of the certificate's CRLDistributionPoints.
        var points: [UInt8]?
        var isAuthority = false
        var problem: RevocationProblem?
        var testDescription: String { name }
    }

    static let cases: [Case] = [
        Case(name: "users, for a user", scope: [0x81, 1, 0xff]),
        Case(
            name: "for users, used for an authority", scope: [0x81, 1, 0xff], isAuthority: true, problem: .wrongScope),
        Case(name: "authorities, for a user", scope: [0x82, 1, 0xff], problem: .wrongScope),
        Case(name: "for authorities, used for an authority", scope: [0x82, 1, 0xff], isAuthority: true),
        Case(name: "some reasons", scope: [0x83, 2, 1, 0x40], problem: .partialList),
        Case(name: "indirect", scope: [0x84, 1, 0xff]),
        Case(name: "attribute certificates", scope: [0x85, 1, 0xff], problem: .attributeList),
        Case(name: "an empty scope", scope: [], problem: .malformed),
        Case(name: "an encoded default FALSE", scope: [0x81, 1, 0], problem: .malformed),
        Case(name: "users and authorities", scope: [0x81, 1, 0xff, 0x82, 1, 0xff], problem: .malformed),
        Case(name: "out of order", scope: [0x84, 1, 0xff, 0x81, 1, 0xff], problem: .malformed),
        Case(name: "no names", scope: fullName(), problem: .malformed),
        Case(
            name: "a distribution point of the certificate", scope: fullName(url),
            points: Encoding.sequence(fullName(url))),
        Case(
            name: "one of two distribution points", scope: fullName(otherURL, url),
            points: Encoding.sequence(fullName(Self.name("x"))) + Encoding.sequence(fullName(url))),
        Case(name: "no distribution point", scope: [0x81, 1, 0xff], points: Encoding.sequence(fullName(url))),
        Case(
            name: "another distribution point", scope: fullName(url), points: Encoding.sequence(fullName(otherURL)),
            problem: .wrongScope),
        Case(name: "a distribution point, for a certificate without any", scope: fullName(url), problem: .wrongScope),
        Case(name: "the issuer's distribution point", scope: fullName(Self.name("root"))),
        Case(
            name: "a distribution point of another issuer", scope: fullName(url),
            points: Encoding.sequence(fullName(url), Encoding.tagged(2, Self.name("root"))), problem: .wrongScope),
        Case(
            name: "a distribution point for some reasons", scope: fullName(url),
            points: Encoding.sequence(fullName(url), [0x81, 2, 1, 0x40]), problem: .partialList),
        Case(
            name: "a relative distribution point", scope: Encoding.tagged(0, Encoding.tagged(1, relative)),
            points: Encoding.sequence(Encoding.tagged(0, Encoding.tagged(1, relative)))),
        Case(
            name: "another relative distribution point", scope: Encoding.tagged(0, Encoding.tagged(1, relative)),
            points: Encoding.sequence(Encoding.tagged(0, Encoding.tagged(1, otherRelative))), problem: .wrongScope),
        Case(
            name: "unreadable distribution points", scope: fullName(url),
            points: Encoding.sequence(fullName(url), [5, 0]),
            problem: .wrongScope),
    ]

    static func name(_ commonName: String) -> [UInt8] {
        Encoding.tagged(4, (try? DistinguishedName { CommonName(commonName) }.bytes()) ?? [])
    }

    @Test("A CRL applies only within its scope", arguments: cases)
    func scopes(_ one: Case) throws {
        var recipe = one.isAuthority ? Recipe.authority("middle") : Recipe()
        recipe.serialNumber = RevocationFixture.serialNumber
        if let points = one.points {
            recipe.extra = [.init(oid: [2, 5, 29, 31], critical: false, value: Encoding.sequence(points)[...])]
        }
        let fixture = try RevocationFixture(recipe)
        let scope = Encoding.extensionNumber(28, critical: true, Encoding.sequence(one.scope))
        let list = try fixture.list { $0.extensions = [scope] }
        #expect(try fixture.status(lists: [list]) == one.problem.map(RevocationStatus.unusable) ?? Self.good)
        let revoking = try fixture.list {
            $0.extensions = [scope]
            $0.entries = [.init(RevocationFixture.serialNumber)]
        }
        let revoked = RevocationStatus.revoked(at: RevocationFixture.revokedAt, reason: .unspecified)
        // A list that names the certificate revokes it whatever the list's scope, except that attribute certificates
        // have separate serial numbers.
        let problem = one.problem == .attributeList ? one.problem : nil
        #expect(try fixture.status(lists: [revoking]) == problem.map(RevocationStatus.unusable) ?? revoked)
    }
}
