// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

@Suite("The purpose of a policy determines the checks of a chain") struct PurposeTests {
    private typealias Purpose = TrustPolicy.Purpose

    private func verdict(
        _ purpose: TrustPolicy.Purpose, named name: String? = nil, profile: TrustPolicy.Profile? = nil,
        intermediate: (inout Recipe) -> Void = { _ in }, leaf: (inout Recipe) -> Void
    ) throws -> Verdict {
        let chain = try TestChain(intermediate: intermediate, leaf: leaf)
        let policy = TrustPolicy(
            anchors: .only([chain.root.certificate]), profile: profile, purpose: purpose)
        let verdict = try TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            #require(PresentedChain(chain.presented)), named: name, at: Instant.now)
        #expect(verdict.purpose == purpose)
        #expect(try JSONDecoder().decode(Verdict.self, from: JSONEncoder().encode(verdict)) == verdict)
        return verdict
    }

    /// A critical extended key usage with only time stamping.
    private static func timeStamping(critical: Bool = true, others: [ExtendedKeyUsage.Usage] = [])
        -> [Certificate.Extension]
    {
        [try? Certificate.Extension(ExtendedKeyUsage([.timeStamping] + others), critical: critical)]
            .compactMap(\.self)
    }

    @Test(
        "The leaf's extended key usage must allow the purpose, explicitly for code signing and time stamping",
        arguments: [
            (.server, [.serverAuth], nil), (.server, [.clientAuth], "trust.extended-key-usage"), (.server, nil, nil),
            (.server, [.any], nil), (.client, [.clientAuth], nil), (.client, [.serverAuth], "trust.extended-key-usage"),
            (.client, nil, nil), (.client, [.any], nil), (.email, [.emailProtection], nil), (.email, nil, nil),
            (.email, [.any], nil), (.email, [.serverAuth, .clientAuth], "trust.extended-key-usage"),
            (.codeSigning, [.codeSigning], nil), (.codeSigning, nil, "trust.extended-key-usage"),
            (.codeSigning, [.any], "trust.extended-key-usage"),
            (.codeSigning, [.emailProtection], "trust.extended-key-usage"),
            (.timeStamping, nil, "trust.extended-key-usage"), (.timeStamping, [.any], "trust.extended-key-usage"),
            (.any, [.ocspSigning], nil), (.any, [.serverAuth], nil), (.any, nil, nil),
        ] as [(TrustPolicy.Purpose, [ExtendedKeyUsage.Usage]?, String?)])
    func leaf(purpose: TrustPolicy.Purpose, usages: [ExtendedKeyUsage.Usage]?, code: String?) throws {
        #expect(try verdict(purpose) { $0.purposes = usages }.failure?.code == code)
    }

    @Test(
        "Server-gated cryptography does not replace server authentication",
        arguments: [[2, 16, 840, 1, 113730, 4, 1], [1, 3, 6, 1, 4, 1, 311, 10, 3, 3]] as [ASN1ObjectIdentifier])
    func stepUp(identifier: ASN1ObjectIdentifier) throws {
        let usage = ExtendedKeyUsage.Usage(oid: identifier)
        #expect(try verdict(.server) { $0.purposes = [usage] }.failure?.code == "trust.extended-key-usage")
        let issued = try verdict(.server, intermediate: { $0.purposes = [usage] }, leaf: { _ in })
        #expect(issued.failure?.code == "trust.extended-key-usage")
    }

    @Test(
        "The extended key usage of an intermediate limits the purposes below it",
        arguments: [
            (.client, [.serverAuth], false), (.client, [.clientAuth, .emailProtection], true), (.client, [.any], true),
            (.email, [.serverAuth], false), (.codeSigning, [.any], true), (.codeSigning, [.codeSigning], true),
            (.codeSigning, [.serverAuth], false), (.any, [.serverAuth], true),
        ] as [(TrustPolicy.Purpose, [ExtendedKeyUsage.Usage], Bool)])
    func intermediate(purpose: TrustPolicy.Purpose, usages: [ExtendedKeyUsage.Usage], isTrusted: Bool) throws {
        let verdict = try verdict(purpose, intermediate: { $0.purposes = usages }) { leaf in
            leaf.purposes = [.clientAuth, .emailProtection, .codeSigning]
        }
        #expect(verdict.failure?.code == (isTrusted ? nil : "trust.extended-key-usage"))
    }

    @Test(
        "The leaf's key usage must fit the purpose",
        arguments: [
            (.email, KeyUsage(nonRepudiation: true), true), (.email, KeyUsage(keyEncipherment: true), true),
            (.email, KeyUsage(dataEncipherment: true), false), (.codeSigning, KeyUsage(digitalSignature: true), true),
            (.codeSigning, KeyUsage(nonRepudiation: true), false),
            (.timeStamping, KeyUsage(nonRepudiation: true), true),
            (.timeStamping, KeyUsage(keyEncipherment: true), false), (.client, KeyUsage(keyAgreement: true), true),
            (.client, KeyUsage(nonRepudiation: true), false), (.any, KeyUsage(dataEncipherment: true), true),
        ] as [(TrustPolicy.Purpose, KeyUsage, Bool)])
    func keyUsage(purpose: TrustPolicy.Purpose, keyUsage: KeyUsage, isTrusted: Bool) throws {
        let verdict = try verdict(purpose) { leaf in
            leaf.keyUsage = keyUsage
            leaf.purposes = purpose == .timeStamping ? nil : [.emailProtection, .codeSigning, .clientAuth]
            if purpose == .timeStamping { leaf.extra = Self.timeStamping() }
        }
        #expect(verdict.failure?.code == (isTrusted ? nil : "trust.key-usage"))
    }

    @Test("A time-stamping authority's extended key usage is critical and contains nothing else") func timeStamping()
        throws
    {
        func code(_ purpose: TrustPolicy.Purpose, critical: Bool, _ others: [ExtendedKeyUsage.Usage]) throws -> String?
        {
            try verdict(purpose) { leaf in
                leaf.purposes = nil
                leaf.extra = Self.timeStamping(critical: critical, others: others)
            }.failure?.code
        }
        #expect(try code(.timeStamping, critical: true, []) == nil)
        #expect(try code(.timeStamping, critical: false, []) == "trust.nonconforming")
        #expect(try code(.timeStamping, critical: true, [.codeSigning]) == "trust.nonconforming")
        // The rule is for time-stamping authorities only.
        #expect(try code(.server, critical: false, [.serverAuth]) == nil)
        #expect(try code(.any, critical: false, [.serverAuth]) == nil)
    }

    @Test(
        "The extended key usage of a time-stamping authority that is itself an anchor counts too",
        arguments: [true, false])
    func timeStampingAnchor(critical: Bool) throws {
        let chain = try TestChain(leaf: { ($0.purposes, $0.extra) = (nil, Self.timeStamping(critical: critical)) })
        let policy = TrustPolicy(anchors: .only([chain.leaf.certificate]), purpose: .timeStamping)
        let verdict = try TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            #require(PresentedChain(chain.presented)), named: nil, at: Instant.now)
        #expect(verdict.failure?.code == (critical ? nil : "trust.nonconforming"))
    }

    /// Returns a SmtpUTF8Mailbox (RFC 9598).
    private static func international(_ mailbox: String) throws -> GeneralName {
        .otherName(
            .init(typeID: [1, 3, 6, 1, 5, 5, 7, 8, 9], value: try ASN1Any(erasing: ASN1UTF8String(mailbox))))
    }

    @Test("An email certificate is compared with a mailbox, also an international one") func mailboxes() throws {
        let names: [GeneralName] = [.rfc822Name("mary@a.example"), try Self.international("jürgen@a.example")]
        func failure(_ name: String, _ names: [GeneralName] = names) throws -> TrustFailure? {
            try verdict(.email, named: name) { ($0.purposes, $0.names) = ([.emailProtection], names) }.failure
        }
        #expect(try failure("mary@a.example") == nil)
        #expect(try failure("jürgen@A.example") == nil)
        #expect(
            try failure("Mary@a.example")
                == .hostMismatch(host: "Mary@a.example", presented: ["mary@a.example", "jürgen@a.example"]))
        #expect(try failure("jurgen@a.example")?.code == "trust.host-mismatch")
        // A local part in ASCII belongs into an rfc822Name (RFC 9598 section 3).
        #expect(
            try failure("mary@a.example", [Self.international("mary@a.example")])?.code == "trust.host-mismatch")
        // The mailbox is a UTF8String (RFC 9598 section 3); this is a BMPString.
        let text = "ü@a.example".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
        let other = try ASN1Any(derEncoded: [0x1e, UInt8(text.count)] + text)
        #expect(
            try failure("ü@a.example", [.otherName(.init(typeID: [1, 3, 6, 1, 5, 5, 7, 8, 9], value: other))])?.code
                == "trust.host-mismatch")
        #expect(
            try failure("mary@a.example", [.dnsName("a.example")])?.explanation.message
                == "The server's certificate contains no mailbox, so it is not valid for mary@a.example.")
    }

    @Test(
        "Name constraints of mailboxes apply to international mailboxes",
        arguments: [
            ("a.example", nil), (".a.example", "trust.name-constraints"), ("b.example", "trust.name-constraints"),
        ])
    func constrainedMailboxes(base: String, code: String?) throws {
        let constraints = NameConstraints(permittedSubtrees: [.rfc822Name(base)])
        let name = try Self.international("jürgen@a.example")
        let verdict = try verdict(
            .email, intermediate: { $0.nameConstraints = constraints },
            leaf: { ($0.purposes, $0.names) = ([.emailProtection], [name]) })
        #expect(verdict.failure?.code == code)
    }

    @Test(
        "The rules for servers do not apply to other purposes", arguments: [TrustPolicy.Purpose.client, .email, .any])
    func rules(purpose: TrustPolicy.Purpose) throws {
        // Without an extended key usage, and with a common name that is no alternative name.
        func rule(_ purpose: TrustPolicy.Purpose) throws -> [TrustFailure.Rule] {
            let verdict = try verdict(purpose) { ($0.purposes, $0.commonName) = (nil, "Mary") }
            #expect(verdict.isTrusted)
            return verdict.leniencies.map(\.rule)
        }
        let ofServers: Set<TrustFailure.Rule> = [.serverPurposes, .commonName]
        #expect(try ofServers.isSubset(of: rule(.server)))
        #expect(try ofServers.isDisjoint(with: rule(purpose)))
    }

    @Test("A client is judged for client authentication, or for any purpose if the policy says so") func clients()
        throws
    {
        let chain = try TestChain()
        func verdict(_ purpose: TrustPolicy.Purpose) throws -> Verdict {
            let policy = TrustPolicy(anchors: .only([chain.root.certificate]), purpose: purpose)
            return try TrustEvaluator(policy: policy, systemAnchors: AnchorStore([]))
                .evaluate(client: #require(PresentedChain(chain.presented)), at: Instant.now)
        }
        #expect(try verdict(.server).failure?.code == "trust.extended-key-usage" && verdict(.server).purpose == .client)
        #expect(try verdict(.any).isTrusted)
    }

    @Test("The explanation names the purposes that a certificate fits") func explanations() throws {
        let verdict = try verdict(.codeSigning) { $0.purposes = [.clientAuth, .emailProtection, .ocspSigning] }
        let explanation = try #require(verdict.explanation(of: "chain.pem"))
        #expect(
            explanation.message == """
                chain.pem is not trusted: its certificate is for client authentication (clientAuth), e-mail protection \
                (emailProtection), OCSP signing (OCSPSigning), but has to be for code signing (codeSigning).
                """)
        #expect(explanation.reason.hasSuffix("It would fit the purpose client or email."))
        #expect(explanation.advice == "Ask the signer for a certificate for code signing (codeSigning).")
        let none = try self.verdict(.codeSigning) { $0.purposes = nil }
        #expect(none.explanation.contains("its certificate lists no purpose, but has to be for code signing"))
        let good = try self.verdict(.codeSigning) { $0.purposes = [.codeSigning] }
        #expect(good.explanation == "The chain is trusted for code signing, and was not compared with a name.")
    }

    @Test("A verdict of an older version is decoded with its peer as the purpose") func olderRecords() throws {
        let verdict = try verdict(.client) { $0.purposes = [.clientAuth] }
        let text = String(decoding: try JSONEncoder().encode(verdict), as: UTF8.self)
        #expect(text.contains("\"purpose\":\"client\"") && !text.contains("\"peer\""))
        for (old, purpose) in [("\"peer\":\"client\"", TrustPolicy.Purpose.client), ("\"other\":1", .server)] {
            let data = Data(text.replacing("\"purpose\":\"client\"", with: old).utf8)
            #expect(try JSONDecoder().decode(Verdict.self, from: data).purpose == purpose)
        }
    }
}
